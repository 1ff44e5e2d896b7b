"""What a person says ends what they said before only where it names it: taken back, done, decided."""

from __future__ import annotations

import pytest

from hookclaw_py.speech.ending import is_decided
from hookclaw_py.speech.finishing import is_done
from hookclaw_py.speech.taking_back import takes_back

TAKEN_BACK = [
    ("let's use Mailpit for local mail testing", "no wait, scrap Mailpit, use the console backend"),
    ("let's use Postgres for the database", "no, let's use SQLite instead of Postgres"),
    ("we decided to paint the fence green", "blue, not green"),
    ("we go with the Tuesday slot for yoga", "forget the Tuesday slot"),
    ("let's take the ferry to Bergen", "ok forget the ferry, we go by train"),
    ("always use tabs", "use spaces rather than tabs from now on"),
    ("wir nehmen Postgres für die Datenbank", "nein doch nicht, vergiss Postgres, nimm SQLite"),
    ("wir haben beschlossen, den Zaun grün zu streichen", "blau, nicht grün"),
    ("wir nehmen die Fähre nach Bergen", "lieber den Zug statt der Fähre"),
    ("ab jetzt immer Tabs verwenden", "keine Tabs mehr"),
    ("on part sur Redis pour le cache", "Memcached au lieu de Redis"),
    ("decidimos usar Postgres", "SQLite en vez de Postgres"),
    ("我们决定用红色", "不用红色了，改用蓝色"),
    ("we decided to use Terraform for the servers", "We dropped Terraform in favour of Pulumi."),
    ("Wir nehmen Gas für die Heizung.", "Statt Gas nehmen wir eine Wärmepumpe."),
    ("Wir nehmen Velora als Stromanbieter.", "Velora doch nicht, zurück zu Lumo."),
    ("For the guest room we take the grey Billy shelves.", "actually we're not taking the Billy shelves, Lotte wants String shelves in white"),
    ("we decided to buy the Bosch dishwasher", "we won't be buying the Bosch dishwasher after all"),
    ("we decided to buy the Bosch dishwasher", "I'm not buying the Bosch dishwasher - too loud"),
    ("wir nehmen die Billy-Regale fürs Gästezimmer", "wir nehmen die Billy-Regale doch nicht, Lotte will String"),
    ("ok, let's drop weasyprint and use reportlab instead", "wir nehmen doch lieber weasyprint, auf dem server geht es ja"),
    ("ok, let's drop weasyprint and use reportlab instead", "we use weasyprint again"),
    ("ok, let's drop weasyprint and use reportlab instead", "let's go back to weasyprint"),
    ("ok, let's drop weasyprint and use reportlab instead", "weasyprint after all"),
    ("let's use SQLite instead of Postgres", "zurück zu Postgres"),
    ("let's use SQLite instead of Postgres", "Postgres nehmen wir doch"),
    ("wir nehmen die Billy-Regale fürs Gästezimmer", "ok, die Billy-Regale nehmen wir nicht"),
]  # fmt: skip
STAYS = [
    ("let's use Mailpit for local mail testing", "Mailpit shows no mail, scrap that"),
    ("let's use Mailpit for local mail testing", "don't forget Mailpit"),
    ("let's use Mailpit for local mail testing", "should we use the console backend instead of Mailpit?"),
    ("let's use Mailpit for local mail testing", "maybe use the console backend instead of Mailpit"),
    ("let's use Mailpit for local mail testing", "skip Mailpit for now, use the console backend"),
    ("we agreed on tests before each commit", "skip the tests today and just push"),
    ("we decided to paint the fence green", "the fence is green, not painted yet"),
    ("we decided to paint the fence blue, not green", "green, not red"),
    ("let's use Postgres for the database", "if it breaks use SQLite instead of Postgres"),
    ("wir nehmen Postgres für die Datenbank", "vergiss Postgres nicht"),
    ("wir nehmen Postgres für die Datenbank", "heute mal SQLite statt Postgres"),
    ("We decided to use Postgres for the shop.", "Mara uses MySQL instead of Postgres in her shop."),
    ("We decided to use Postgres for the shop.", "My brother switched from Postgres to Oracle at his company's shop."),
    ("We decided to use Postgres for the shop.", "The neighbours switched from Postgres to Oracle."),
    ("We decided to use Postgres for the shop.", "we visited Tom, Tom runs MySQL instead of Postgres"),
    ("We decided to use Postgres for the shop.", "I heard that Mara uses MySQL instead of Postgres"),
    ("We decided to use Postgres for the shop.", "Instead of Postgres, Mara uses MySQL"),
    ("We decided to use Postgres for the shop.", "Mara no longer uses Postgres"),
    ("wir nehmen die Fähre nach Bergen", "Mara nimmt den Zug statt der Fähre"),
    ("ab jetzt immer Tabs verwenden", "Jonas hat keine Tabs mehr"),
    ("let's take the ferry to Bergen", "Mara took the train, not the ferry"),
    ("we decided to use Terraform for the servers", "Kolbe dropped Terraform in favour of Pulumi."),
    ("ok, let's drop weasyprint and use reportlab instead", "should we go back to weasyprint?"),
    ("ok, let's drop weasyprint and use reportlab instead", "Mara went back to weasyprint"),
    ("ok, let's drop weasyprint and use reportlab instead", "we never go back to weasyprint"),
    ("ok, let's drop weasyprint and use reportlab instead", "back to the invoices"),
    ("ok, let's drop weasyprint and use reportlab instead", "wir haben wieder Probleme mit weasyprint"),
    ("ok, let's drop weasyprint and use reportlab instead", "wir nehmen doch lieber reportlab"),
    ("we decided to buy the Bosch dishwasher", "we're not buying the Bosch dishwasher yet"),
    ("we decided to buy the Bosch dishwasher", "Mara said we're not buying the Bosch dishwasher"),
    ("we decided to buy the Bosch dishwasher", "are we not buying the Bosch dishwasher?"),
    ("wir nehmen die Fähre nach Bergen", "wir nehmen die Fähre nicht vor acht"),
    ("we decided to use Terraform for the servers", "replace the Terraform logo with the new one"),
]


@pytest.mark.parametrize(("before", "since"), TAKEN_BACK)
def test_who_names_what_they_chose_and_what_they_do_not_want_takes_it_back(before: str, since: str):
    assert takes_back(since, before, at_once=True)


@pytest.mark.parametrize(("before", "since"), STAYS)
def test_a_question_a_guess_and_what_is_for_once_takes_nothing_back(before: str, since: str):
    assert not takes_back(since, before, at_once=True)


@pytest.mark.parametrize(
    ("before", "since", "gone"),
    [
        ("let's use Postgres for the database", "no, let's use SQLite instead of Postgres", True),
        ("let's use Postgres for the database", "for the toy project use SQLite instead of Postgres", False),
        ("we decided to paint the fence green", "blue, not green", False),
        ("we decided to paint the fence green", "the fence in blue, not green", True),
        ("we decided to use Terraform for the servers", "We dropped Terraform in favour of Pulumi.", True),
        ("Wir nehmen Velora als Stromanbieter.", "Velora doch nicht, zurück zu Lumo.", True),
        (
            "For the guest room we take the grey Billy shelves.",
            "we're not taking the Billy shelves, Lotte wants String shelves in white",
            True,
        ),
        (
            "For the guest room we take the grey Billy shelves.",
            "we're not using the grey paint, Lotte wants the String one in white",
            False,
        ),
        ("Für die Treppe nehmen wir Eiche.", "Statt Eiche nehmen wir Buche für den Tisch.", False),
        ("Für die Treppe nehmen wir Eiche.", "Für den Tisch nehmen wir Buche statt Eiche.", False),
        ("Für die Treppe nehmen wir Eiche.", "Statt Eiche nehmen wir Buche für die Treppe.", True),
        ("Für die Treppe nehmen wir Eiche.", "Statt Eiche nehmen wir Buche.", True),
        (
            "For the newsletter let's use weasyprint.",
            "Let's use pdfkit instead of weasyprint for the invoices.",
            False,
        ),
        (
            "For the newsletter let's use weasyprint.",
            "Let's use pdfkit instead of weasyprint for the newsletter.",
            True,
        ),
        (
            "Let's use weasyprint for the newsletter and the invoices.",
            "Let's use pdfkit instead of weasyprint for the invoices.",
            True,
        ),
        ("Let's use Postgres for the archive.", "Let's use DuckDB instead of Postgres for speed.", True),
        ("For the guest room we take the Billy shelves.", "we're not taking the Billy shelves for the office", False),
        (
            "on prend weasyprint pour la lettre",
            "on prend pdfkit au lieu de weasyprint pour les factures",
            False,
        ),
        ("usamos roble para la escalera", "usamos haya en vez de roble para la mesa", False),
    ],
)
def test_weeks_later_it_must_be_of_the_same(before: str, since: str, gone: bool):
    assert takes_back(since, before, at_once=False) is gone


@pytest.mark.parametrize(
    ("step", "said"),
    [
        ("remind me to call the notary", "I called the notary, done"),
        ("I still have to call the notary about the flat tomorrow", "called the notary"),
        ("next step: send the claim to the insurance", "the claim is sent"),
        ("we need to order the new modem", "modem ordered"),
        ("todo: photos of the celadon tiles", "the celadon tiles: done"),
        ("next steps: pdf template", "pdf template is done by Ines"),
        ("next steps: pdf template", "the pdf template was finished by Ines Kolb yesterday"),
        ("erinnere mich, den Notar anzurufen", "Notar angerufen, erledigt"),
        ("ich muss noch die Rechnung vom Klempner bezahlen", "hab die Rechnung vom Klempner bezahlt"),
        ("rappelle-moi d'appeler le notaire", "j'ai appelé le notaire"),
        ("rappelle-moi de renouveler Antidote avant le 10", "Antidote est renouvelé"),
        ("rappelle-moi d'envoyer la facture à Bialetti", "la facture à Bialetti est envoyée"),
        ("ricordami di chiamare il geometra", "ho chiamato il geometra"),
        ("ricordami di pagare la mensa", "la mensa è pagata"),
        ("à faire aujourd'hui : payer l'urssaf", "urssaf payée aussi"),
        ("à faire cette semaine : changer les pneus", "pneus changés samedi chez Norauto, 412 euros"),
        ("à faire : réserver le train pour la foire", "train réservé, départ jeudi 15 à 7h34, place 64 voiture 8"),
        ("à faire : appeler le garage", "appelé le garage, voiture prête lundi"),
        ("da fare: pagare la mensa", "mensa pagata"),
        ("da fare: chiamare luca", "chiamato luca, viene alle 6"),
        ("pendiente: renovar el carnet", "carnet renovado ayer"),
        ("por hacer: llamar al taller", "llamado al taller"),
        (
            "faut que j'envoie les plans de charge a Luc avant vendredi",
            "plans de charge envoyés à Luc ce matin au fait",
        ),
        (
            "il me reste a faire : la notice accessibilité",
            "la notice accessibilité de l'école est faite, envoyée à la mairie",
        ),
        ("il me reste a faire : la notice accessibilité", "notice accessibilité faite"),
        ("faut que je signe le devis la semaine prochaine", "j'ai signé le devis Labat ce matin"),
        ("falta enviarle el acta", "acta enviada a Ana"),
        ("falta enviarle el acta de la visita", "acta enviada a Ana"),
        ("faut que je lui envoie le devis du toit", "devis envoyé à Luc Duhalde"),
        ("rappelle moi de payer l'urssaf", "urssaf c'est fait"),
        ("rappelle moi de payer l'urssaf", "c'est bon pour l'urssaf"),
        ("todo: Zahnarzt anrufen", "Zahnarzt hat sich erledigt"),
        ("noch offen: Termin mit Ann", "der Termin mit Ann entfällt"),
        ("todo: Yasmine's report", "Yasmine's report signed and sent"),
        ("I need to call the notary about the garage deed", "the notary was called about the garage deed"),
        ("I need to call the notary for the deed", "I finally called the notary and she wants the deed by friday"),
        ("remind me to tell dona lurdes about the key", "i told dona lurdes about the key"),
        ("Ich muss noch den Steuerberater anrufen.", "den Steuerberater habe ich angerufen"),
        ("I need to pay the invoice of Kolbe by monday", "Mara called, and I paid the invoice of Kolbe"),
        ("Ich muss noch die Winterreifen bestellen, 205/55 R16", "ich habe die Winterreifen bestellt, kommen am 19."),
        ("Ich muss noch die Winterreifen bestellen, 205/55 R16", "ich habe die Winterreifen bei Continental bestellt"),
        ("Ich muss noch die Winterreifen bestellen, 205/55 R16", "Winterreifen sind bestellt, Lieferung am 19."),
        ("I need to order the tyres, 205/55 R16 V91", "I ordered the tyres, arriving on the 19th"),
        ("fix the login bug #123 in v2", "fixed the login bug #123"),
        ("faut que j'envoie le devis", "comme promis j'ai envoyé le devis"),
        ("faut que je demande à Paul d'envoyer le devis", "j'ai demandé à Paul d'envoyer le devis"),
        ("send the quote to Charles", "sent the quote to Charles"),
        ("falta enviarle el acta a Ana", "he enviado el acta a Ana"),
        ("tengo que enviar el acta", "si, he enviado el acta"),
        ("à faire : réparer la tente", "tente réparée"),
        ("need to: cancel the gym", "gym cancelled at last"),
        ("i still have to book the train to london", "train to london booked for the 26th"),
        ("I need to pay invoice 4712 to Kolbe.", "I paid invoice 4712 on March 3"),
        ("I need to pay the tax for 2026 by March 31", "I paid the tax on April 2, 412 euros"),
        ("I need to call the dentist on Friday", "I called the dentist on Monday at 9:30"),
        ("call the dentist friday", "called the dentist monday"),
        ("I need to send the invoice for April by the 5th of May", "The invoice for April is sent."),
        ("send my report to Kolbe's office", "I sent my report to Kolbe"),
        ("I need to renew Lina's passport.", "Lina's passport is renewed"),
        ("I need to pay the plumber", "I paid the plumber by check"),
        ("I need to send the order to Kolbe", "the order is sent"),
        ("I need to fix the login test.", "I fixed the test."),
        (
            "Mila needs 12 euro for the class trip until friday, remind me when I ask what is due",
            "the class trip money, I paid it this morning, 12 euro",
        ),
        ("Linas Pass liegt beim Amt, erinner mich dran wenn ich nachfrage", "Linas Pass ist abgeholt"),
    ],
)
def test_a_step_that_is_said_to_be_done_is_done(step: str, said: str):
    assert is_done(said, step)


@pytest.mark.parametrize(
    ("step", "said"),
    [
        ("remind me to call the notary", "I called the plumber, done"),
        ("noch offen: Ausflug mit Ann", "der Ausflug mit Ann fällt aus, wenn es regnet"),
        ("à faire : pique-nique avec Ann", "le pique-nique avec Ann n'a plus lieu s'il pleut"),
        ("next steps: pdf template", "the pdf template is done by Friday"),
        ("next steps: pdf template", "the pdf template is done by May"),
        ("next steps: pdf template", "the pdf template is done by Christmas"),
        ("next steps: pdf template", "the pdf template is done by Ines by friday"),
        ("next steps: pdf template", "the pdf template is done by the end of the week"),
        ("remind me to call the notary", "I paid the notary"),
        ("I need to pay the invoice RG17", "I paid the invoice RG18"),
        ("we need to fix issue B12 and B13", "fixed issue B14"),
        ("remind me to call the notary", "I called the notary but nobody answered"),
        ("remind me to call the notary", "did I call the notary?"),
        ("remind me to call the notary", "I tried to reach the notary, not done yet"),
        ("remind me to call the notary", "I need the number of the notary"),
        ("remind me to call the notary", "done"),
        ("rappelle-moi d'envoyer la facture à Bialetti", "la facture à Bialetti est signée"),
        ("rappelle-moi d'envoyer la facture à Bialetti", "la facture à Bialetti n'est pas envoyée"),
        ("ricordami di chiamare il geometra", "ho chiamato il geometra ma non risponde"),
        ("à faire : payer les factures", "les factures payées restent dans le classeur"),
        ("à faire : visiter le musée", "demain musée"),
        ("à faire : payer la facture", "facture pas encore payée"),
        ("à faire : envoyer le devis", "le devis envoyé par Paul est faux"),
        ("à faire : réserver le train", "il a réservé le train"),
        ("falta enviar el acta de la visita a Ana", "acta enviada a Luis"),
        ("faut que je lui envoie le devis du toit", "facture envoyée à Luc"),
        ("faut que je signe le devis Labat", "le devis Labat c'est bon mais cher"),
        ("faut que je signe le devis Labat", "j'ai pas signé le devis Labat"),
        ("faut que j'appelle Luc", "c'est bon pour jeudi"),
        ("à faire : payer la facture Luc", "la facture Ann est payée"),
        ("todo: write the readme", "the readme of the old project is done"),
        ("da fare: pagare la mensa", "Luca ha pagato la mensa"),
        ("todo: check the heating", "the heating is off"),
        ("erinnere mich, den Notar anzurufen", "den Notar habe ich noch nicht angerufen"),
        ("I need to call the notary about the garage deed.", "The notary called."),
        ("I need to call the notary about the garage deed.", "the notary just called about the garage deed"),
        ("I need to call the notary for the deed.", "the notary's office called and wants the deed by friday"),
        ("we need to send the first merge request", "oke is settling in well, sent his first merge request"),
        ("I need to call the notary about the garage deed.", "Mara has called the notary about the garage deed"),
        ("I need to call the notary about the garage deed.", "the notary called and I paid the baker"),
        ("I need to call the notary about the garage deed.", "I paid the baker, the notary called"),
        ("Ich muss noch den Steuerberater anrufen.", "Der Steuerberater hat angerufen, er ist krank."),
        ("Ich muss noch den Steuerberater anrufen.", "Die Nachbarn haben den Steuerberater angerufen"),
        ("I need to pay the invoice of Kolbe", "Kolbe sent another invoice, I paid the old invoice of Kolbe already"),
        ("I need to pay the invoice of Kolbe by monday", "I paid the old invoice of Kolbe"),
        ("ich muss noch die Rechnung vom Klempner bezahlen", "hab die alte Rechnung vom Klempner bezahlt"),
        ("faut que j'envoie le devis", "j'ai oublié d'envoyer le devis"),
        ("faut que j'envoie le devis", "j'ai essayé d'envoyer le devis"),
        ("faut que j'envoie le devis", "j'ai promis d'envoyer le devis"),
        ("faut que j'envoie le devis", "j'ai failli envoyer le devis"),
        ("faut que j'envoie le devis", "j'ai commencé le devis"),
        ("faut que j'envoie le devis", "j'ai demandé à Paul d'envoyer le devis"),
        ("faut que j'envoie le devis", "si j'ai envoyé le devis je te dis"),
        ("I need to send the quote", "I asked Paul to send the quote"),
        ("tengo que enviar el acta", "he olvidado enviar el acta"),
        ("tengo que enviar el acta", "he intentado enviar el acta"),
        ("tengo que enviar el acta", "he decidido enviar el acta"),
        ("send the quote to Charles", "sent the quote to Bob"),
        ("faut que j'envoie le devis à Charles", "j'ai envoyé le devis à Paul"),
        ("falta enviarle el acta a Ana", "he enviado el acta a Pedro"),
        ("I need to pay invoice 4712 to Kolbe.", "I paid invoice 4711."),
        ("I need to send the invoice for April to Kolbe.", "The invoice for March is sent."),
        ("send the May invoice to Kolbe", "the March invoice is sent"),
        ("à faire : envoyer la facture de mars", "la facture d'avril est envoyée"),
        ("TODO: send the Monday report", "the Friday report is sent"),
        ("TODO: review PR 13.", "I reviewed PR 12."),
        ("I need to renew Lina's passport.", "I renewed my passport."),
        ("I need to renew my passport.", "I renewed Lina’s passport."),
        ("I need to renew Lina's passport.", "the passport of Tom is renewed"),
        ("Ich muss Linas Pass verlängern.", "ich habe meinen Pass verlängert"),
        ("I need to fix the login page.", "I fixed the login test."),
        ("I need to fix the login test.", "I fixed the login page."),
        ("pay the plumber when I ask you to", "I asked the plumber"),
    ],
)
def test_another_deed_another_thing_and_what_was_only_tried_leaves_a_step_open(step: str, said: str):
    assert not is_done(said, step)


def test_what_was_open_is_decided_by_who_names_one_of_it():
    step = "next steps: Brid Kearns or Tom for the roof, not decided yet"
    assert is_decided("I've decided: Brid Kearns it is", step)
    assert not is_decided("I've decided: the paint is blue", step)
    assert not is_decided("Brid Kearns called", step)
