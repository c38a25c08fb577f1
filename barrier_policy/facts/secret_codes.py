"""Codes that open something: doors, gates, safes, alarms, cards, accounts (design section 5, bindings).

A code word alone says nothing (`error code`, `postal code`, `booking code`). It is a secret's label where it is the code *of* something
that it opens (`guest code`, `Türcode`, `code du portail`, `код от домофона`, `玄関の暗証番号`), and the value is told: right after the label,
after a word like `is`, or after the thing that it opens.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from barrier_policy.facts.secret_told import beside, told
from barrier_policy.facts.secret_words import SPACED_SCRIPTS_END, Family, Label, any_of, words_of


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


OWNERS = _words(
    "door gate padlock wifi wlan entry entrance access garage locker alarm flat house keypad lockbox lock guest guests visitor visitors cleaner cabin "
    "cottage apartment shed vault safe keybox intercom opener claim activation pairing recovery backup unlock security one-time onetime "
    "time verification auth authentication authorization 2fa mfa sms login sign-in signin enrolment enrollment entry-phone alarm's "
    "kapı kapısının kapının misafir giriş kasa kasanın bina binanın daire dairenin garajın evin domofon porta's bejárati kapu riasztó vendég "
    "pin card phone ipad tablet laptop screen voicemail sim parental front back email e-mail mail text app whatsapp bank"
)
"""The word before a code word, with a blank or hyphen between them."""
OTHERS = _words(
    "error status exit zip postal post country area product article item discount promo coupon voucher booking confirmation reservation order tracking "
    "source qr bar dress cost tax colour color log return response reason fault"
)
"""Words before `code` that make it a name of something else, whatever stands after it."""
COMPOUNDS = _words(
    "tür haustür wohnungstür eingangs eingangstür tor garagen garagentor haus gäste gast besucher alarm schließfach safe tresor zugangs zutritts "
    "aktivierungs freischalt einmal sicherheits bestätigungs entsperr keller pforten schlüsselbox "
    "deur voordeur poort gasten toegangs alarm kluis garage activatie dörr port gäst larm dør gæste gjeste alarm garage ovi portti "
    "ulko vieras kapu ajtó riasztó vendég door gate pass key"
)
"""What stands before a code word in one word: `Türcode`, `portkod`, `ovikoodi`."""
ENDS = (
    "大门", "门禁", "入户门", "车库", "訪客", "访客", "保险箱", "保險箱", "门锁", "玄関", "ドア", "鍵箱", "キーボックス", "キー ボックス", "南京錠", "钥匙盒", "鑰匙盒", "钥匙箱", "鑰匙箱", "密码箱", "挂锁", "열쇠함", "키박스", "자물쇠", "入口", "ゲスト", "金庫", "解錠", "入館", "門", "门", "認証", "ロッカー",
    "현관", "출입", "도어락", "금고", "출입문", "대문", "인증", "दरवाज़े", "दरवाजे", "गेट", "ताले", "तिजोरी",
)  # fmt: skip
"""What stands before a code word in scripts without capitals, particles aside."""
OPENED = (
    "door", "gate", "padlock", "garage", "house", "flat", "cabin", "cottage", "safe", "alarm", "locker", "building", "apartment", "lock", "keypad", "villa",
    "studio", "office", "front", "entrance", "elevator", "lift", "schloss", "aufzug", "serrure", "ascenseur", "cerradura", "serratura", "slot", "phone", "tablet", "laptop", "ipad", "handy", "authenticat", "sms", "whatsapp", "bank", "elevator", "chalet", "lobby", "guest", "visitor", "card", "tür", "haustür", "tor", "haus", "ferienhaus", "wohnung", "ferienwohnung", "tresor",
    "schließfach", "keller", "büro", "gäste", "besucher", "karte", "porte", "portail", "immeuble", "entrée", "coffre", "alarme", "maison", "carta",
    "appartement", "invité", "visiteur", "cadenas", "carte", "accès", "puerta", "portal", "caja", "garaje", "casa", "piso", "entrada", "edificio",
    "huésped", "candado", "invitad", "tarjeta", "acceso", "porta", "portone", "cancello", "cassaforte", "allarme", "ingresso", "ospiti", "lucchetto", "accesso",
    "portão", "prédio", "cofre", "garagem", "hóspede", "cadeado", "cartão", "acesso", "deur", "poort", "pand", "kluis", "huis", "kantoor", "gasten", "hangslot", "kłódk", "zámk", "kaart",
    "domofon", "bram", "drzwi", "sejf", "garaż", "furt", "klatk", "mieszkan", "gości", "dostępu", "kart", "brank", "dveř", "trezor", "garáž", "vchod",
    "домофон", "ворот", "двер", "подъезд", "сейф", "сигнализац", "калитк", "гараж", "квартир", "гост", "карт", "замк", "wifi", "wi-fi", "wlan", "воріт", "port", "dør", "dörr",
    "larm", "gæst", "gäst", "poart", "uș", "interfon", "seif", "πόρτα", "πόρτας", "cửa", "cổng", "két", "pintu", "gerbang", "tamu",
    "brán", "vrat", "kapij", "verja", "cancela", "portillon", "hek", "pforte", "gartentor", "hoftor", "einfahrt", "grind", "låge", "portti", "portil", "πύλη", "врат", "порта",
    "ประตู", "דלת", "הדלת", "שער", "השער", "باب", "الباب", "البوابة", "الخزنة", "الضيوف",
)  # fmt: skip
"""What a code opens, or whom it lets in; each is what its word begins with."""
TELLS = _words(
    "is it's its are was were be now new war wäre lautete heißt era será sera ist jetzt lautet neu est c'est es son è é são jest to je är er on este είναι là adalah היא הוא คือ هو هي है "
    "это: this: van: the: 是 为 為 は が 는 은 가 이"
)
"""Words between the label and the value that say that it follows."""

KEYPADS = (
    "door",
    "gate",
    "alarm",
    "garage",
    "entr",
    "keypad",
    "tür",
    "tor",
    "porte",
    "portail",
    "puerta",
    "porta",
    "deur",
    "poort",
    "drzwi",
    "bram",
    "двер",
    "ворот",
    "kapı",
    "門",
    "门",
)
BOX_CODE = re.compile(
    r"(?i)(?![\w])[^.\n]{0,30}?(?:\b(?:is|on|to|opens with|unlocks with|code|combination|öffnet mit|geht auf mit|s'ouvre avec|se abre con|si apre con|abre com|gaat open met|otwiera się|ist|auf|est|sur|es|en|è|é|op|kod|код)\b *:?|[:=]) *((?=[A-Z-]*\d[A-Z-]*\d)[*#]?[A-Z0-9-]{3,16}[*#]?)(?=\s*(?:$|[.,;!?)\n\"'\\]|(?:and|und|et|y|e|i|is|für|for)\b))(?![.,:]\d)"
)
BOX_BESIDE = re.compile(r" ([*#]?\d{4,8}[*#]?)(?=\s*(?:$|[.,;!?)\n]))")
DIAL = re.compile(
    r"(?i)(?<!\w)\d{1,2}\s?(?:left|right|links|rechts|gauche|droite|izquierda|derecha|sinistra|destra|esquerda|direita|l|r)\b"
    r"(?:[,;/ -]{1,3}(?:then |dann |puis )?\d{1,2}\s?(?:left|right|links|rechts|gauche|droite|izquierda|derecha|sinistra|destra|esquerda|direita|l|r)\b){1,4}"
)
CODE_TO_ENTER = re.compile(
    r"(?i)[ :=]{1,3}(\d{4,8}) (?:to|um|pour|para|per|om) (?:sign|log|verify|confirm|unlock|open|enter|get in|anmelden|öffnen|entrar|connecter)"
)
CODE_FOR = re.compile(
    r"[ :=]{1,3}([*#]?\d{4,8}[*#]?) (?:for|für|fürs|pour|para|per|voor|do|za|till|til|к|от|для|to) ((?:\S+ ?){1,3})"
)
COMBINATION = re.compile(r"\d{1,2}(?:-\d{1,2}){2,5}")
KEYPAD = re.compile(r"(?<![\w#/&])[*#]?\d{3,8}\Z")
CODE_NETWORK = re.compile(
    r"(?i)[ -](?:du |de |del |do |da |van |van de |vom |fürs |for the |for )?(?:wi-?fi|wlan|hotspot)\b"
)
"""A code word that is followed by the name of a wireless network leads to its password."""
KEY_NAMES = (
    "hash", "pound", "star", "raute", "rautetaste", "sterntaste", "dièse", "étoile", "almohadilla", "asterisco", "cancelletto", "cardinal",
    "hekje", "sterretje", "kratka", "krzyżyk", "křížek", "fyrkant", "firkant", "решётка", "решетка", "решётку", "diyez", "kare",
)  # fmt: skip
"""Keys that confirm a code: near the name of what it opens they say so."""
MAX_KEYS = 2_000
NUMBER_BEFORE = re.compile(r"(?<![\w.,:#/-])([*#]?\d{4,8}[*#]?) \Z")
WITH_NUMBER = re.compile(
    rf"[^\n.;!?\d]{{0,32}}?[ ](?:{any_of(words_of('with'))})[ ](?:the )?(?:code |pin |passcode |kod )?[\"']?([*#]?\d{{4,8}}[*#]?)(?![\w.:/-]\w|\w)"
)
AFTER_WITH = re.compile(
    rf"(?<![^\W_])(?:{any_of(words_of('with'))}) (?:code |pin |kod )?([*#]?\d{{4,8}}[*#]?) (?:\w+ ){{0,2}}\Z"
)
SIGNED_NUMBER = re.compile(r"(?:(?: ?[:=]| is) ?| (?=\d-))(\d(?:-\d){2,8}|[*#]?\d{4,8}[*#]?)(?![\w.:/-]\w|\w)")
NUMBER_TO_OPEN = re.compile(
    r"[ ](?:the )?(?:code |pin )?([*#]?\d{4,8}[*#]?) (?:to|and it|zum|pour|para|per|om|aby|чтобы) (?:open|unlock|get in|enter|disarm|öffnen|ouvrir|abrir|aprire|otworzyć|открыть)"
)
REACH = 64
_WORD_BEFORE = re.compile(r"([^\W_]+(?:[-'’][^\W_]+)*)[ _\-]{0,2}\Z")
_STOP = re.compile(r"[\n;!?。]|[.](?=\s|\Z)")
_OPENED_STOP = re.compile(r"[\d\n,;:!?。]|[.](?=\s|\Z)")
_GROUPS = re.compile(r"\d{1,2}(?:-\d{1,2}){2}")
_SPACED_WORD = re.compile(r"[^\s\d_.,:;!?()\"'’]+")
_LAST = re.compile(r"([^\s\d_.,:;!?()\"]+)\Z")
_VALUE = re.compile(
    r"(?<![\w.,#*@/-])(?:\d{3} \d{3}|\d{4} \d{4}|\d{2}(?: \d{2}){2,3}|\d{2,6}(?:-\d{2,6}){1,3}|(?:[A-Z]{2,8}-?)?\d{2,6}[*#]\d{2,6}[*#]?|[*#]?\d{3,10}[А-ЯЁ]?[*#]?|(?=(?:[A-Z-]*\d){3})[A-Z0-9]{1,4}(?:-[A-Z0-9]{1,4}){2,6}|(?=[A-Za-z0-9-]{0,20}\d)[A-Za-z0-9]{2,12}(?:-[A-Za-z0-9]{2,12}){0,4}[*#]?)"
    r"(?![A-Za-z0-9_@/*#€$£%-]|[.:,]\d| ?(?:%|€|\$|£|°|EUR|USD|CHF|[kK]m\b|[kK]?[bB]\b))"
)
_COUNTED = re.compile(
    r" (?:lines?|bytes?|characters?|chars|files?|tokens?|rows?|columns|commits?|times|users|requests|seconds|minutes|hours|days|words|pages|items|entries|tests|changes|Zeilen|Zeichen|lignes|líneas|righe|linhas|regels)\b"
)
"""What is counted by a number that is no code."""
_WRITTEN = re.compile(
    r"[ -](?:reviews?|reviewers?|coverage|base|paths?|owners?|blocks?|generation|generator|quality|freeze|modules?|handlers?|handling|tests?|size|length|count|audits?|changes|diffs?|refactoring|rewrite|commits?|files?|snippets?|samples?|style|cleanup)\b"
)
"""Words after `code` that make it code of a program, or speak of codes as a matter: `access code review`."""
_MOMENT = re.compile(r"(?:19|20)\d\d|\d{1,4}[-./ ]\d{1,2}[-./ ]\d{1,4}|\d{1,2}(?:am|pm|th|st|nd|rd|h)", re.IGNORECASE)
_GOES_ON = re.compile(r" [^\W\d_]")
_LIST = " ,/&\"'"
_FILLER = " \t\"'`*:=—–-„“”«»「」\\：."


def codes_at(text: str, lowered: str, label: Label) -> Iterator[tuple[int, int]]:
    """Where codes are told that a label leads to: alone (a keypad's, a box's), or because the code word has an owner."""
    start, end = label.start, label.word_end
    if _WRITTEN.match(text, end):
        return
    if label.family is Family.BOX:
        if text[start - 1 : start] not in (".", "_", "-", "/"):
            yield from _in_box(text, end)
        return
    if label.family is Family.COMBINATION:
        yield from _combination(text, end)
        return
    if label.family is Family.SELF_CODE:
        yield from _values(text, start, end, near_only=True)
        return
    if ord(lowered[start]) >= SPACED_SCRIPTS_END:
        if _particles(lowered[max(0, start - 12) : start]).endswith(ENDS) or _opens(lowered, end):
            yield from _values(text, start, end)
        return
    start = lowered.rfind(" ", start, end) + 1 or start
    if _is_owned(lowered, start, end):
        dial = DIAL.search(text, end, end + REACH)
        if dial is not None:
            yield dial.span()
        yield from _values(text, start, end)
        return
    match = CODE_TO_ENTER.match(text, end)
    if match is not None:
        yield match.span(1)
        return
    match = CODE_FOR.match(text, end)  # `code 4471 for the front door`
    if match is not None and any(word.startswith(OPENED) for word in match[2].lower().split()):
        yield match.span(1)


def opens_something(text: str, lowered: str, label: Label) -> bool:
    """Whether a code word is called the code of something that it opens: `the code for the alarm`, `Türcode`."""
    if _WRITTEN.match(text, label.word_end):
        return False
    if ord(lowered[label.start]) >= SPACED_SCRIPTS_END:
        before = _particles(lowered[max(0, label.start - 12) : label.start])
        return before.endswith(ENDS) or _opens(lowered, label.word_end)
    return _is_owned(lowered, lowered.rfind(" ", label.start, label.word_end) + 1 or label.start, label.word_end)


def is_other_code(lowered: str, start: int) -> bool:
    """Whether the word before a code word makes it the name of something else: `booking code`."""
    before = _WORD_BEFORE.search(lowered, max(0, start - 24), start)
    return before is not None and before[1] in OTHERS


def _combination(text: str, end: int) -> Iterator[tuple[int, int]]:
    """Groups of digits right after a word for a combination, whatever it opens."""
    value = told(text, end) or beside(text, end)
    if value is not None and (dial := DIAL.match(text, value.start)) is not None:
        yield dial.span()
        return
    if value is not None and COMBINATION.fullmatch(text, value.start, value.end):
        yield value.start, value.end


def _in_box(text: str, end: int) -> Iterator[tuple[int, int]]:
    """What opens a box with keys or money."""
    match = BOX_CODE.match(text, end) or BOX_BESIDE.match(text, end)
    if match is not None:
        yield match.span(1)
    dial = DIAL.search(text, end, end + REACH)
    if dial is not None:
        yield dial.span()


def keypad_codes(text: str, lowered: str) -> Iterator[tuple[int, int]]:
    """Numbers that end in the key which confirms them, near the name of what they open: `gate: 4471#`."""
    place = text.find("#")
    for _ in range(MAX_KEYS):
        if place < 0:
            return
        match = KEYPAD.search(text, max(0, place - 9), place) if text[place - 1 : place].isdigit() else None
        alone = match is not None and not text[place + 1 : place + 2].isalnum()
        if match and alone and any(word in lowered[max(0, match.start() - 40) : match.start()] for word in KEYPADS):
            yield match.start(), place + 1
        place = text.find("#", place + 1)


def opened_before(text: str, lowered: str, label: Label) -> Iterator[tuple[int, int]]:
    """`0917 opens it`, `mit 4471 ausschalten`, `the alarm: 9932 then hash`."""
    start = label.start
    match = NUMBER_BEFORE.search(text, max(0, start - 24), start)
    if match is None:
        return
    is_key = lowered[start : label.end].endswith(KEY_NAMES)
    if not is_key or any(word in lowered[max(0, match.start() - 40) : match.start()] for word in KEYPADS):
        yield match.span(1)


def opened_with(text: str, start: int, end: int) -> Iterator[tuple[int, int]]:
    """`unlock the phone with 2580`, `punch in 6614 to open it`."""
    match = (
        AFTER_WITH.search(text, max(0, start - 40), start)
        or SIGNED_NUMBER.match(text, end)
        or WITH_NUMBER.match(text, end)
        or NUMBER_TO_OPEN.match(text, end)
    )
    if match is not None:
        yield match.span(1)


def _particles(before: str) -> str:
    return before.rstrip(" のका的의用")


def _is_owned(lowered: str, start: int, end: int) -> bool:
    """Whether the code word has an owner: in the same word, right before it, or after it."""
    if _particles(lowered[max(0, start - 12) : start]).endswith(ENDS):
        return True
    before = _WORD_BEFORE.search(lowered, max(0, start - 24), start)
    if before is None:
        return _opens(lowered, end)
    if before.end(1) == start:
        return before[1] in COMPOUNDS
    return before[1] in OWNERS or (before[1] not in OTHERS and _opens(lowered, end))


def _opens(lowered: str, end: int) -> bool:
    """Whether what the code opens is named between the code word and the next number."""
    stop = _OPENED_STOP.search(lowered, end, end + 40)
    words = _SPACED_WORD.findall(lowered, end, stop.start() if stop else end + 40)[:5]
    return any(word.startswith(OPENED) for word in words)


def _values(text: str, start: int, end: int, *, near_only: bool = False) -> Iterator[tuple[int, int]]:
    """The value that a label tells, and where it is a list of them, all."""
    stop = _STOP.search(text, end, end + REACH)
    limit = stop.start() if stop else min(len(text), end + REACH)
    last = -1
    for match in _VALUE.finditer(text, end, limit):
        between = text[max(last, end) : match.start()]
        near = not between.strip(_LIST) if last >= 0 else _leads(between)
        if last >= 0 and not near:
            return
        if near is None or not (near or not near_only) or not _is_code(match[0], between, near=near):
            near_only = near_only or any(map(str.isdigit, match[0]))  # a number of something else stands first
            continue
        if (len(match[0]) == 3 or between.endswith(" to ")) and _GOES_ON.match(text, match.end()):  # `codes: 120 issued`
            return
        if _COUNTED.match(text, match.end()):
            return
        yield match.span()
        last = match.end()


def _leads(between: str) -> bool | None:
    """Whether what stands between label and value leads to it: True where nothing or `is` does, False where what is opened does."""
    if between.lower() in ("'s ", "’s "):
        return True
    bare = between.strip(_FILLER + ",、（(").lower().replace("’", "'")
    if not bare:
        return None if "," in between else True
    last = _LAST.search(bare)
    if last is None:
        return None
    if last[1] in TELLS or last[1][-1] in "是为為はが는은가이":
        return True
    opened = last[1].rsplit("'", 1)[-1].startswith(OPENED)
    return between.rstrip().endswith((":", "=", "：")) if opened else None


def _is_code(value: str, between: str, *, near: bool) -> bool:
    """Whether a value can be such a code: digits, or capitals and digits; from afar at least four digits; no date."""
    if _MOMENT.fullmatch(value) and not (near and value.isdigit() and not between.endswith(" on ")):
        return (
            _GROUPS.fullmatch(value) is not None
            and not between.endswith(" on ")
            and (near or min(map(int, value.split("-"))) > 12)
        )
    digits = sum(map(str.isdigit, value))
    return digits >= (3 if near else 4) or (near and digits >= 1 and len(value) >= 4 and value.upper() == value)
