"""What leaves something out takes it from the conversation; what is complete does not."""

from __future__ import annotations

import pytest

from hookclaw_py.model.types import Message
from hookclaw_py.stages.entities import find_entities
from hookclaw_py.stages.followup import follows, left_out, perhaps_left_out
from hookclaw_py.text import terms
from tests.conftest import CONSTANTS, candidate

NAMES = frozenset({"ocke", "insurance", "妈妈"})
RENT = (Message("user", "what's the rent for the boathouse"), Message("assistant", "5,600 a year, says Kåre."))

FOLLOWS = """
and until when can I cancel it?|and his number?|how deep is it|what about the deposit|who else was there?|what's her phone number
are they even open today|what was the booking ref|when's the next check|do we need permission for that|how long is the notice
how far does it really go on a charge|ok and if we wanted out, how long is the notice|and which oil, how much of it|since when?
how much?|where does she live|and Ocke?|what did Dagny say about it|thanks, and the second one?|is it still under warranty
did he ever pay us back|what was the code again|how do i get there|tell me his address|which one was cheaper|when did we buy it
und seine Nummer?|bis wann kann ich das kündigen|was kostet das|und die Adresse?|wo wohnt sie|wie lange gilt das|seit wann?
et son petit il s'appelle comment ?|combien ça coûte|et le prix ?|c'est à quelle heure là-bas|et jusqu'à quand ?|où habite-t-elle
y cuánto rato al horno?|y cuánto vale?|cuándo lo pago|puedo cancelarlo?|y su hermana?|hasta cuándo?
kommt er morgen?|hat er schon bezahlt|ist er verheiratet|ihre Telefonnummer nochmal|sa date de naissance|está casada ella|él sabe nadar
他女儿后来考上哪所大学了|太稀了怎么办|那价格呢|周末呢|他的电话|它多少钱|それはいくら|その住所は?
还有呢？|她呢|在哪|哪天来着|哪一家|多少|叫什么|叫什么名字|这个什么时候到期|那个是多少|什麼時候|哪裡|幾個人|那個多少錢|還有呢
а его телефон?|e quanto costa?|en wat kost het?
so whats the deposit|why tho|why so expensive|remind me why thats better|is that a problem|does that include the slip|can i pay more if i want
what do i tell them|who gets it then|through the agent though|the winter too?|what if i'm not sure|how hot can we go|which days is he not in|phone number?
and why doesn't she ever come in|didnt work. who comes out for that|second one?|does he take mails|address?|do i have to book|where exactly
wann ruft sie normalerweise an|wie hoch war die Kaution nochmal|wann hab ich das zuletzt gemacht|hilft nicht, wen ruf ich an|an welchem Tag ist das
für wieviele Leute|und für wieviel Personen|liest der auch Mails|warum so spät|muss ich da anrufen|gilt das auch für Kinder|Telefonnummer?|pourquoi si cher|por qué es tan caro|为什么这么贵
why?|Why|how come?|why not?|warum?|weshalb|pourquoi ?|¿por qué?|perché?|почему?|waarom?|为什么|为啥？
"""
COMPLETE = """
how deep is our well actually|what was the lvextend line for tsdb-2|who is Ocke|wifi password|rent?|E-17?|thanks|ok|are you sure?
what is the rent for the boathouse|insurance form: how did mum lose her phone on the 16th|what's my blood type|where is the key in London
last tuesday sindre warned about something, what was it|is it safe for mei to eat cashews|who coaches aksel|what time is it
when the pump leaks how do I fix it|and where did we put the spare key for the boat shed|it smells like a sewer upstairs again
what did torbjørn forget on his trip last friday|who's my doctor, need it for a form|write a regex that matches a postcode
that night in november 2024 when the db disk was full, what had i done wrong|where did we eat out on saturday and how much was it
wann wird unsere Klärgrube das nächste Mal geleert|was ist meine Blutgruppe|welche Farbe hat das Bad oben bekommen
comment s'appelle le fils d'Amélie|quel est le code du portail de la maison|il était de combien le devis que j'ai envoyé hier
when does school start|how long does bread rise|when is tide highest|what was the old key code|what is the spare tyre pressure
cuándo es el examen del DELE|cuál es la contraseña del router de la oficina|妈妈的饺子馅里放多少盐|我们的井多深|冬天的轮胎放在哪里了
怎么了|真的吗|你叫什么名字|你是谁|妈妈叫什么名字|这个周末妈妈什么时候到|屋頂的瓦片是哪家修的
haha right, her|hm really?|oh wie schön|how nice|ok cool will do|ach so, stimmt|are you sure?|what do you think|can you say that again|my address?
Ocke's phone number|wifi password|why is the sea salty
"""


def prompts(table):
    return [prompt for line in table.strip().splitlines() for prompt in line.split("|")]


def taken(prompt, recent=RENT):
    return left_out(prompt, recent, entities=find_entities(prompt, names=NAMES), constants=CONSTANTS.follow_ups)


@pytest.mark.parametrize("prompt", prompts(FOLLOWS))
def test_what_a_prompt_leaves_out_is_taken_from_the_turn_before(prompt):
    assert taken(prompt) == "what's the rent for the boathouse, Kåre"
    assert not taken(prompt, recent=())


@pytest.mark.parametrize("prompt", prompts(COMPLETE))
def test_a_complete_prompt_takes_nothing_from_the_conversation(prompt):
    assert not taken(prompt)


def test_a_chain_of_follow_ups_goes_back_to_the_question_that_began_it():
    chain = (*RENT, Message("user", "and by when do i have to pay it"), Message("assistant", "By 1 May."))
    assert (
        taken("and how long is the notice", chain)
        == "what's the rent for the boathouse, and by when do i have to pay it"
    )


def test_thanks_in_between_and_the_prompt_itself_do_not_count():
    after = (
        *RENT,
        Message("user", "thanks!"),
        Message("assistant", "You're welcome."),
        Message("user", "and his number?"),
    )
    assert taken("and his number?", after).startswith("what's the rent for the boathouse")


def test_of_a_long_turn_only_the_beginning_is_taken():
    assert len(taken("and his number?", (Message("user", "where is the boat " * 1000),))) <= 300


PERHAPS = """
what has to be on the photo|wie oft muss die Kette gefettet werden|who pays for the roof|多少钱一个人
"""
WHOLE = """
what did we do yesterday|who is dagny|was ist der Drache|where is Ocke|what colour is my bike|ok super, machen wir so|scrub day|great news
which of the two firms that we asked in spring was the cheaper one, with and without the electrician
"""


def perhaps_taken(prompt, recent=RENT):
    return perhaps_left_out(prompt, recent, entities=find_entities(prompt, names=NAMES), constants=CONSTANTS.follow_ups)


@pytest.mark.parametrize("prompt", prompts(PERHAPS))
def test_a_few_words_that_name_nothing_may_be_meant_of_what_was_said_before(prompt):
    assert not taken(prompt)
    assert perhaps_taken(prompt) == "what's the rent for the boathouse, Kåre"
    assert not perhaps_taken(prompt, recent=())


@pytest.mark.parametrize("prompt", prompts(WHOLE))
def test_what_names_its_thing_its_time_or_asks_nothing_is_never_searched_for_twice(prompt):
    assert not perhaps_taken(prompt)


def found(text, relevance):
    return [candidate(text, relevance=relevance, terms=terms(text))]


@pytest.mark.parametrize(
    ("alone", "after", "taken_after"),
    [
        ([], found("send a photo with the tray label within 48 h", 0.9), True),
        (found("holidays in Rome", 0.2), found("send a photo with the tray label", 0.9), True),
        (found("holidays in Rome", 0.2), found("send a photo with the tray label", 0.4), False),  # nobody is told that
        (found("holidays in Rome", 0.2), found("claims within 48 h", 0.9), False),  # it has none of what is asked
        (found("a photo of the tray in the hall", 0.9), found("a photo with the tray label", 0.95), True),
        (found("a photo of the tray in the hall", 0.99), found("a photo with the tray label", 0.8), False),
        (found("a photo of the tray in the hall", 0.6), found("the photo of the winch", 0.95), False),
    ],
)
def test_the_turns_before_count_where_what_they_lead_to_has_the_words_and_is_as_sure(alone, after, taken_after):
    assert follows(alone, after, "what has to be on the photo of the tray", min_score=0.5) is taken_after


def test_what_was_found_alone_stays_where_it_has_more_of_the_words_although_the_other_is_surer():
    asked = "what has to be on the photo of the tray label"
    alone, after = found("a photo of the tray label in the hall", 0.6), found("photo of the tray", 0.95)
    assert follows([], after, asked, min_score=0.5)
    assert not follows(alone, after, asked, min_score=0.5)
