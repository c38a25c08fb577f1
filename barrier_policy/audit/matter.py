"""What a sentence is about: the words of its deeds and things, so that `emailed` meets `email` and `create_refund` meets `refunded`.

Shorter words count than in `content_words`, names in code are taken apart, endings are cut in a few European languages, and scripts
without spaces are compared by pairs of letters. Words that only tell a state, a time or who said something are no matter.
"""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from collections.abc import Iterable, Iterator
from functools import lru_cache

PIECE = re.compile(r"\w+(?:[-.:/]\w+)*")
HUMP = re.compile(r"(?<=[a-z])(?=[A-Z])")
UNSPACED = re.compile("[぀-ヿ一-鿿฀-๿]+")
ENDING = re.compile(r"(?:amiento|ments?|ing|ados?|adas?|idos?|idas?|ierte?n?|ed|es|en|er|et|ar|ir|as|os|s|e|a|o|t|n|i|y)$")
PREFIX = re.compile(
    r"^(?:an|ein|aus|ab|auf|vor|zu|mit|nach|um|los|fest|her|hin)?ge(?=[a-z]{4})|^(?:an|ein|aus|ab|auf)zu(?=[a-z]{4})"
)
VOWEL = re.compile("[aeiouyаеёиоуыэюя]|[^a-z]")
SHORTEST, STEM = 3, 5
MIXED = 4
"""Letters in a row of a word with digits from which they are a word of their own: `ledger_q2.xlsx`."""
MAX_TEXT = 2_000
"""Characters of a text that are looked at."""
IRREGULAR = {
    "sent": "send", "paid": "pay", "ran": "run", "bought": "buy", "sold": "sell", "wrote": "write", "written": "write", "built": "build",
    "gave": "give", "given": "give", "took": "take", "taken": "take", "told": "tell", "went": "go", "held": "hold", "kept": "keep",
    "drew": "draw", "drawn": "draw", "withdrawn": "withdraw", "undone": "undo", "rebuilt": "rebuild", "shut": "shut", "pidio": "pide",
    "pedir": "pide", "pidieron": "pide", "mails": "mail", "mailed": "mail",
}  # fmt: skip
COMMON = 200
"""A word in more texts than this says nothing of which one is meant."""

NO_MATTER = frozenset(
    """
    them him the and was were has have had been being for from with that this these those then than there their they its his her our your you are will
    would shall should must may might can could not now yet still also too only just about into onto over under after before until while when
    where which who what how why all any some every each both out off per via again once here so far
    user users agent assistant human customer's asked asks ask wants wanted requested said says told reported noted mentioned summary session
    conversation work working task tasks thing things
    use uses used using above below more less without need needs require requires required
    because since although porque aunque hubo había hay parce quand denn damit obwohl
    end ended ends errors error problems problem issues smoothly fehler problemlos errores problemas erreurs
    done complete completed completely finish finished fully success successful successfully succeed succeeded pending open opened running
    started start begun outstanding remaining confirmed result results status state due next later already
    der die das dem den des ein eine einen einem einer eines und oder mit von vom zum zur auf für bei aus nach vor über unter ist sind war waren
    wird werden wurde wurden worden hat haben hatte hatten sein soll sollte muss noch nicht schon auch nur sich sie ihn ihm ihr wir ich man
    dass weil wenn aber dann bis als wie was darum dazu nutzer nutzerin agent bat gebeten möchte erledigt fertig offen erfolgreich abgeschlossen
    los las una uno unos unas del con por para que como pero más sin fue fueron era han sido está están estaba ser hay son sus aún todavía ya
    completada completado completadas completados finalizada finalizado terminada abgeschlossene terminée achevée usuario agente pidió pide quiere hecho hecha pendiente terminado completado
    les des une aux avec par pour dans sur est sont été était ont qui pas mais plus utilisateur demandé fait terminé
    gli dei della delle dello nel nella con per che sono stato stata stati state utente fatto
    não uma dos das com foi foram está estão usuário feito het een van met voor naar zijn werd werden heeft hebben niet
    """.split()  # noqa: SIM905
)


@lru_cache(maxsize=4_000)
def matter(text: str) -> frozenset[str]:
    """The stems of the words that say what a text is about; what has a digit is taken whole."""
    found: set[str] = set()
    for piece in _pieces(unicodedata.normalize("NFKC", text[:MAX_TEXT])):
        word = piece.casefold()
        if any(map(str.isdigit, word)):
            found.add(word)
            found.update(stem(part) for part in re.split(r"[^a-zà-ÿ]+", word) if len(part) > MIXED and part not in NO_MATTER)
        elif UNSPACED.match(word):
            found.update(word[n : n + 2] for n in range(max(1, len(word) - 1)))
        elif word not in NO_MATTER and (len(word) >= SHORTEST or not word.isascii()):
            found.add(stem(word))
    return frozenset(found)


def _pieces(text: str) -> Iterator[str]:
    """Words; what is joined by signs stays one if it has a digit, and names in code are taken apart."""
    for match in PIECE.finditer(text):
        if any(map(str.isdigit, match[0])):
            yield match[0]
            continue
        for part in re.split(r"[-.:/_]", match[0]):
            yield from filter(None, HUMP.split(part))


def stem(word: str) -> str:
    """A word without its ending, in at most so many letters: enough to find it again in another form."""
    plain = "".join(c for c in unicodedata.normalize("NFD", word) if not unicodedata.combining(c))
    plain = IRREGULAR.get(plain, plain)
    plain = PREFIX.sub("", plain)
    cut = ENDING.sub("", plain)
    if len(cut) < SHORTEST or not VOWEL.search(cut) or (len(cut) == SHORTEST and not plain.endswith(("s", "ed", "ing"))):
        cut = plain
    if len(cut) > SHORTEST and cut[-1] == cut[-2]:
        cut = cut[:-1]
    return cut[:STEM]


class Matters:
    """Texts by what they are about. A look-up costs time in the words asked for."""

    def __init__(self, texts: Iterable[frozenset[str]]) -> None:
        self.texts = list(texts)
        self._postings: dict[str, list[int]] = {}
        for number, words in enumerate(self.texts):
            for word in words:
                self._postings.setdefault(word, []).append(number)

    def __contains__(self, word: str) -> bool:
        return word in self._postings

    def best(self, words: frozenset[str]) -> tuple[float, list[int]]:
        """The greatest share of the words that one text has, and the numbers of all texts that have it."""
        counts: Counter[int] = Counter()
        for word in words:
            postings = self._postings.get(word, ())
            if len(postings) <= COMMON:
                counts.update(postings)
        if not counts:
            return 0.0, []
        most = max(counts.values())
        shares = {number: len(words & self.texts[number]) for number, count in counts.items() if count == most}
        best = max(shares.values())
        return best / len(words), sorted(number for number, share in shares.items() if share == best)
