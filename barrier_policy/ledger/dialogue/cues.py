"""Words by which people put off, wait and ask for the same once more: the lists of `languages/`, and what they can't say in patterns.

A list can't say that a verb, an article and a noun follow each other, nor that a whole sentence has only such words. The long patterns are for
lower case: told to ignore it, `re` tries each of their words at each place, which takes five times as long.
"""

from __future__ import annotations

import re

from barrier_policy.facts.phrases import Hit, words_of
from barrier_policy.facts.words import AnyCase, lower_case
from barrier_policy.ledger.dialogue.words import all_words, entries_of, find_words, has_words

FIRST_WORDS = 8
"""Words of a message in which an answer is put off."""
OPENING_WORDS = 3
"""Words of a message that say that it is about something else."""
RESUMING_WORDS = 12
"""Words of a message that only says to go on; a longer one gives work of its own."""
GREETING_WORDS = 2
"""Words of a sentence that only greets."""
ASKING_WORDS = 4
"""Words of a message among which a question word makes it a question."""
_CLAUSE_MARKS = (",", ";", ":", ".", "!", "?", "…", "–", "—")
"""Behind one of these a message begins anew."""

MAX_QUESTION = 100
"""Characters of a message that does nothing but ask."""
_GREETING = re.compile(r"\W*(?:\w+(?:\s\w+)?,)?[\W_]*")
"""What may stand before the word that opens a question: two words and a comma, or a sign."""
_CLAUSE_SIGN = re.compile(r"[,;:—–，、；：]|[.!?…。！？؟](?=\s*\S)")
"""After it comes another clause or sentence."""

WAITS = AnyCase(
    r"\b(?:please provide|bitte (?:nennen|geben) sie|veuillez (?:fournir|indiquer)|por favor,? (?:proporcione|indique|forneça|informe)|mi fornisca"
    r"|i(?:'|’)?(?:m| am)? ?wait(?:ing)? for (?:your|you|a go|the go)|awaiting your|ich warte auf (?:dein|ihr|eur|die freigabe|das ok)|j(?:'|’)attends (?:ton|ta|votre|le feu)"
    r"|espero (?:tu|su|a que)|aspetto (?:il tuo|la tua|un tuo)|aguardo (?:o seu|a sua|sua|seu)|ik wacht op (?:je|jouw|uw)|jag väntar på (?:ditt|din)|czekam na (?:twoj|twój|pańsk)|жду (?:вашего|твоего))"
)
"""Words by which the agent says that the user must speak first, and asks without a question mark."""

_AWAITS = re.compile(
    r"\b(?:(?:awaiting|(?:still )?waiting (?:for|on)|yet to (?:receive|get)) (?!your?\b)(?:an? |the |his |her |their |its |[\w']+'s )?(?:answer|reply|response|decision|confirmation|approval|verdict|result|feedback|word|signature|call)"
    r"|no (?:answer|reply|response|word|decision|confirmation|verdict|feedback) (?:yet|so far)|(?:have|has)(?:n(?:'|’)?t| not) (?:yet )?(?:heard|answered|replied|responded|confirmed|decided|reacted|called back|come back|shown up)"
    r"|(?:answer|reply|response|decision|confirmation|approval|verdict) (?:is )?(?:still )?(?:pending|outstanding|due|expected)"
    r"|(?:antwort|rückmeldung|bestätigung|entscheidung|zusage|freigabe|rückruf)\w* (?:steht|stehen|fehlt|fehlen)\b|warte(?:n|t)? (?:noch )?auf (?:\w+ )?(?:antwort|rückmeldung|bestätigung|entscheidung|zusage|rückruf)"
    r"|noch keine (?:antwort|rückmeldung|bestätigung|entscheidung|zusage)|hat sich (?:noch |bisher )?nicht gemeldet|hat (?:noch |bisher )nicht geantwortet"
    r"|(?:attends?|attendons|en attente d[e']|manque) ?(?:la |le |sa |son |leur |une |l')?(?:réponse|confirmation|décision|accord|avis|retour)|(?:réponse|confirmation|décision|avis) (?:est )?attendue?|n'a pas (?:encore )?répondu|pas encore de réponse"
    r"|(?:espero|esperamos|esperando|falta|pendiente de|a la espera de) (?:su |la |una |el )?(?:respuesta|confirmación|decisión|visto)|no ha (?:contestado|respondido)|aún sin respuesta"
    r"|(?:attendo|aspetto|aspettiamo|in attesa di|manca) (?:la |il |una |sua )?(?:su[ao] )?(?:risposta|conferma|decisione)|non ha (?:ancora )?risposto"
    r"|(?:aguardo|aguardando|espero|falta) (?:a |uma |sua )*(?:resposta|confirmação|decisão)|(?:ainda )?não respondeu"
    r"|(?:wacht(?:en)? (?:nog )?op|nog geen) (?:een |het |zijn |haar )?(?:antwoord|bevestiging|reactie|besluit|beslissing)|heeft nog niet (?:geantwoord|gereageerd)"
    r"|(?:czekam|czekamy) na (?:\w+ )?(?:odpowiedź|decyzję|potwierdzenie)|(?:jeszcze|na razie) nie odpowiedzia\w+|čekám(?:e)? na (?:\w+ )?(?:odpověď|rozhodnutí|potvrzení)|zatím neodpověděl\w*"
    r"|жд(?:у|ём|ем) (?:\w+ )?(?:ответа?|решени[ея]|подтверждени[ея])|ответа (?:пока|ещё|еще) нет|(?:пока|ещё|еще) не ответил\w*|(?:yanıt|cevap)\w* (?:bekliyor|bekleniyor)\w*|henüz (?:yanıt|cevap)"
    r"|väntar på (?:\w+ )?(?:svar|besked)|inget svar (?:än|ännu)|venter på (?:\w+ )?(?:svar|besked)|(?:ikke|ingen) svar(?:et)? (?:endnu|ennå)|válaszra vár\w*|még nem válaszolt)"
    r"|等(?:待)?[^。，,]{0,6}(?:回复|答复|批复|批准|确认|回覆)|(?:还没|尚未)(?:有)?[^。，,]{0,4}(?:回复|答复|回音|批)|(?:返事|返信|回答|承認|連絡)(?:を)?(?:待ち|待って)|(?:返事|返信|回答|連絡)はまだ|(?:답변|회신|답장|승인)(?:을|를)? ?(?:기다|대기)|아직 (?:답|회신)"
    r"|(?:بانتظار|ننتظر|أنتظر) (?:ال)?(?:رد|موافق|تأكيد)|لم يرد|(?:जवाब|उत्तर|मंज़ूरी) (?:का|की) इंतज़ार|जवाब नहीं आया"
)
"""Words by which the agent says that somebody other than the user has yet to answer."""

_DEFERS = re.compile(
    r"\b(?:let me (?:first )?(?:ask|think|check with|sleep|see what)|(?:i(?:'|’)?ll|i will) (?:think|ask|sleep|get back|tell you|let you know)|get back to you|(?:tell|let) you (?:know )?(?:later|tomorrow|after)|(?:don(?:'|’)?t|do not) know yet|not sure yet"
    r"|muss (?:ich )?(?:erst|noch) (?:\w+ )?(?:nach)?(?:fragen|denken|überlegen)|(?:kläre?|frage?|überlege) (?:ich )?(?:das |es |mir )*noch|melde mich (?:dann|später|noch|morgen)|(?:sag|sage) (?:ich )?(?:dir|ihnen|euch) (?:später|noch|morgen)"
    r"|je (?:te|vous) (?:dirai|redis)|laisse-moi réfléchir|je réfléchis|te (?:digo|aviso) (?:luego|mañana)|lo pienso|déjame pensar|ti (?:dico|faccio sapere)|ci penso|te digo depois|vou pensar"
    r"|ik denk er (?:nog )?over|laat het je weten|muszę (?:się )?(?:zastanowić|zapytać)|dam znać|musím (?:si )?(?:to )?(?:rozmyslet|promyslet)|dám vědět|подумаю|сообщу позже|düşüneyim|sana (?:sonra )?söylerim|jag återkommer|jag funderar)\b"
    r"|让我想想|我考虑一下|晚点告诉你|考えさせて|後で(?:連絡|お返事)|생각해 ?볼게|나중에 알려"
)
"""Words by which the user puts off a decision that is theirs: what the agent had said was a proposal, question mark or not."""

_TIME = re.compile(
    r"\b(?:at|by|um|gegen|à|a las|alle|às|om|kl|klokken|klockan|о|в|o|ve|v|saat) ?\d{1,2}(?:[:.h]\d\d|\b)|\b(?:[01]?\d|2[0-3])[:h][0-5]\d\b|\b\d{1,2} ?[ap]m\b|\d{1,2}点|\d{1,2}時|\d{1,2}시",
    re.IGNORECASE,
)
"""A time of day."""
_AFTER_SOMEBODY = re.compile(
    r"\b(?:once|when|till|until|sobald|wenn|bis|när|når|tills|als|zodra|totdat|quand|lorsque|dès qu(?:e |['’])|cuando|hasta que|quando|appena|até que|assim que|gdy|kiedy|aż|až|jakmile|когда|пока)"
    r" ?(?=[^\W\d_])[A-ZÀ-ÞА-Я][a-zà-ÿа-яё]+"
)
"""What has to happen before, told of somebody or something by name: `when Jens has emptied it`."""
_DIGIT = re.compile(r"\d")

_OBJECT = r"(?: (?:that|this|it|so|these|those|them|(?:that|this|the|your) (?:rules?|limits?|instructions?|wish(?:es)?)))?"
_ACKNOWLEDGEMENTS = (
    r"(?:fully |clearly |all )?understood|got (?:it|that)|(?:duly |well )?noted|(?:(?:i|i've|i have) )?(?:made|taken|take) (?:a )?note(?: of"
    + _OBJECT
    + ")?"
    r"|sure(?: thing)?|ok(?:ay)?|al(?:l )?right|right|yes|yep|fine|good|great|perfect|of course|certainly|absolutely|definitely|no problem|makes sense|copy that|roger(?: that)?"
    r"|as you (?:wish|say)|thanks?(?: you)?|(?:i )?will do"
    + _OBJECT
    + r"|consider it done|(?:i'm |i am )?on it|(?:i )?(?:understand|agree)"
    r"|(?:and |so )?(?:i'll|i will|i shall|we'll|we will)(?: (?:do|handle|take care of|see to|make sure of|keep(?: to)?|remember|bear|follow|respect|observe|hono(?:u)?r|stick (?:to|with)"
    r"|comply(?: with)?|abide by|adhere to|get (?:right |straight )?(?:on|to)|get started(?: on)?|get going|work on|start(?: on)?|be careful)"
    + _OBJECT
    + r"(?: in mind)?)?"
    r"|from now on|right away|now|at once|immediately|going forward|for sure|too|then|carefully|accordingly|strictly|always|then|and"
    r"|verstanden|alles klar|(?:na )?klar|gut|in ordnung|notiert|vermerkt|gern(?:e)?|natürlich|selbstverständlich|(?:das )?mach(?:e)? ich|wird (?:so )?gemacht"
    r"|ich (?:mache|erledige|übernehme) (?:das|es)|ich kümmere mich(?: darum)?|(?:das )?werde ich (?:tun|machen|beachten)|ich werde mich daran halten|ich halte mich daran|ich denke daran"
    r"|(?:bien )?compris|entendu|bien reçu|d'accord|(?:c'est |bien )?noté|bien sûr|parfait|je (?:le ferai|m'en occupe|m'en charge)|ce sera fait|j'y veillerai"
    r"|entendido|de acuerdo|vale|claro|anotado|por supuesto|perfecto|(?:así )?lo haré|(?:yo )?me encargo(?: de ello)?|lo tendré en cuenta"
    r"|capito|ricevuto|d'accordo|va bene|certo|lo farò|ci penso io|me ne occupo(?: io)?|ne terrò conto|combinado|farei isso|vou fazer(?: isso)?|pode deixar"
    r"|begrepen|duidelijk|prima|genoteerd|(?:dat )?(?:zal|ga) ik doen|doe ik|komt goed|ik zorg ervoor|uppfattat|förstått|okej|jag fixar det|ska bli"
    r"|zrozumiał[ea]m|rozumiem|jasne|dobrze|zrobię to|przyjął?em|rozumím|jasně|dobře|udělám to|anladım|tamam|hallederim|понял[аи]?|понятно|хорошо|сделаю(?: это)?|принято|учту|ясно"
    r"|好的?|明白了?|收到|知道了|没问题|我会的|了解(?:です|しました|いたしました)?|承知(?:しました|いたしました|です)?|かしこまりました|わかりました|分かりました|はい|알겠습니다|네|확인했습니다"
)
ACKNOWLEDGES = AnyCase(rf"\W*(?:{_ACKNOWLEDGEMENTS})(?:\W+(?:{_ACKNOWLEDGEMENTS}))*\W*")
"""A sentence of nothing but words by which somebody takes note of what was said: it names nothing that could be owed besides."""
MAX_ACKNOWLEDGEMENT = 120
UNDERTAKING_WORDS = 8
"""Words at the beginning of an answer by which the agent says yes to what it was asked to do."""
_CLAUSE_END = re.compile(r"(?:\s+(\w+))?\s*(?:[,.;:!?…—–)。，！？；、]|$)")
_WORD_BEFORE = re.compile(r"([\w'’]+)\s*$")
MAX_NEGATION = 12
"""Characters before words in which a negation of them is looked for."""
_NEGATIONS = frozenset("don't dont not never не nie ne non nem nicht pas niet inte ikke".split())  # noqa: SIM905
DECLINING_WORDS = 8
"""Words of a message among which a no declines what was asked."""
LATEST_YES = 2
"""The word with which such a yes begins at the latest: `all right, I will do that`."""

SHARE = re.compile(
    r"\b(\d{1,4}) (?:out )?(?:of|von|sur|de|di|van|av|af|z|ze|из)(?: the| den| les| los| i| de| do)? (\d{1,4})\b"
)
"""A share of a whole, `4 of 10`."""

REPEATS = re.compile(
    r"\b(?:again|same(?=\W*$|\W+(?:again|for|with|but|thing|as|on|in|to|from|one|query|check|search|look-?up|call|command|test|report|list|procedure|way)\b)|once more|re-?run|nochmals?|wieder|erneut|gleich\w*|encore|même|de nouveau|otra vez|de nuevo|mism\w+|ancora|di nuovo|stess\w+"
    r"|de novo|outra vez|mesm\w+|opnieuw|nog eens|dezelfde|снова|ещё раз|опять|jeszcze raz|ponownie|znovu|ještě jednou|tekrar|yine)\b"
    r"|もう一度|同じ|再び|再来|再跑|再次|重新|一样|다시|똑같",
    re.IGNORECASE,
)
"""Words by which somebody asks for the same thing once more; what was called then is the recipe."""

_QUESTION_MARK = AnyCase(r"[?？؟]|\b(?:ne zaman|neydi|nedir|(?-i:m[ıü]))\b|\bm[iu](?=\W*$)")
"""Turkish `mi` asks at the end of a message; before other words it is as likely Italian or Spanish for `me` and `my`
(and told to ignore case, `re` takes `ı` for `i`)."""
_TERSE = re.compile(r"\W*\w+(?:\W+\w+)?\W*")
"""No more than two words, which order nothing by themselves."""

_AWAITS_HINTS = (
    "answer", "reply", "repli", "respon", "respuest", "rispost", "respost", "répon", "repón", "decis", "decid", "deciz", "décis", "décid",
    "déciz", "confirm", "approv", "verdict", "result", "feedback", "word", "signature", "call", "heard", "react", "come back", "shown up",
    "antwort", "rückmeld", "bestätig", "entscheid", "zusage", "freigabe", "rückruf", "gemeldet", "accord", "avis", "retour", "visto",
    "contest", "confer", "antwoord", "bevestig", "reag", "reactie", "besl", "odpowied", "decyz", "potw", "odpověd", "rozhodnut", "ответ",
    "решени", "подтвержд", "yanıt", "cevap", "svar", "besked", "válasz", "回", "复", "覆", "批", "确", "返", "承", "連", "答", "ر", "ج", "답", "회신", "승인",
    "موافق", "تأكيد", "उत्तर", "मंज़ूरी",
)  # fmt: skip
"""One of these stands in whatever the longer pattern finds: most texts are done with after them."""
_PLAIN_HINTS = tuple(filter(str.isascii, _AWAITS_HINTS))
"""Those that an ASCII text can have."""


def only_acknowledges(text: str) -> bool:
    """Whether a sentence takes note of something and promises nothing that it names."""
    return len(text) <= MAX_ACKNOWLEDGEMENT and ACKNOWLEDGES.fullmatch(text.replace("’", "'")) is not None


def only_greets(text: str) -> bool:
    """Whether a sentence is no more than two words that lead in: `Hi there!`."""
    words = words_of(text, GREETING_WORDS + 1)
    return 0 < len(words) <= GREETING_WORDS and words[0] in entries_of("leads_in")


def undertakes(text: str) -> bool:
    """Whether the agent begins by saying that it will do what it was asked: `of course`, `gern`, `かしこまりました`."""
    hit = find_words("undertakes", text, first=UNDERTAKING_WORDS)
    return hit is not None and hit.word <= LATEST_YES


def declines(text: str) -> bool:
    """Whether a message begins with a no, or with words by which somebody takes a wish back: `nah, then not`, `oh wait, leave it`."""
    return any(has_words(name, text, first=DECLINING_WORDS) for name in ("declines", "withdraws"))


def withdrawn_from(text: str) -> int:
    """Where the words begin by which a message takes a wish back, with nothing that they reach for: not `leave it on the table`; -1 without any."""
    return next((hit.start for hit in all_words("withdraws", text) if _ends_clause(text, hit)), -1)


def _ends_clause(text: str, hit: Hit[str]) -> bool:
    """Whether a clause ends with words, or with one more (`then`, `please`), and no negation makes them mean the contrary: `don't forget it`."""
    before, after = _WORD_BEFORE.search(text, max(0, hit.start - MAX_NEGATION), hit.start), _CLAUSE_END.match(text, hit.end)
    negated = before is not None and before[1].casefold().replace("’", "'") in _NEGATIONS
    return after is not None and not negated and (after[1] is None or after[1].casefold() in entries_of("leads_in"))


def takes_note(reply: str) -> bool:
    """Whether the agent says in a few words that it has written down, changed or struck off what it was told."""
    return only_acknowledges(reply) or has_words("takes_note", reply, first=UNDERTAKING_WORDS)


def thanks(text: str) -> bool:
    """Whether a message begins with thanks."""
    return has_words("thanks", text, first=OPENING_WORDS)


def promises(text: str) -> bool:
    """Whether the agent says that it will look again, report or remind, in words that mean nothing else."""
    return has_words("promises", text)


def promises_for_later(sentence: str) -> bool:
    """Whether the agent says that it will do something, and at which later time or after what: `once they are here, I'll send both`."""
    return has_words("will", sentence) and is_for_later(sentence)


def find_awaited(text: str) -> str | None:
    """The words by which the agent says that somebody other than the user has yet to answer."""
    lowered = lower_case(text)
    hints = _PLAIN_HINTS if lowered.isascii() else _AWAITS_HINTS
    found = _AWAITS.search(lowered) if any(map(lowered.__contains__, hints)) else None
    return text[found.start() : found.end()] if found else _words(text, "others_wait")


def find_waiting(text: str) -> str | None:
    """The words by which the agent says that the user must speak first."""
    found = WAITS.search(text)
    return text[found.start() : found.end()] if found else _words(text, "agent_waits")


def asks_for_report(text: str) -> bool:
    """Whether the agent asks the user to look at something and say what they see."""
    return has_words("asks_report", text)


def wants_word(text: str) -> bool:
    """Whether the user wants to be told when something has come about: `tell me when it's there`."""
    return find_words("wants_word", text) is not None


def says_not_yet(text: str) -> bool:
    """Whether somebody says that something has not come about yet."""
    return find_words("not_yet", text) is not None


def limits(answer: str) -> bool:
    """Whether an answer says in which case only, until when or with which exception it holds."""
    return has_words("limits", answer)


def says_it_waits(text: str) -> bool:
    """Whether the agent says that it waits in words that mean nothing else: what the user says next is the answer."""
    return WAITS.search(text) is not None


def _words(text: str, name: str) -> str | None:
    hit = find_words(name, text)
    return text[hit.start : hit.end] if hit is not None else None


def tells_rest(text: str) -> bool:
    """Whether the agent says that it is still at the rest of what was asked."""
    return has_words("still_at_it", text)


def postpones(text: str) -> bool:
    """Whether somebody puts an answer off and turns to something else."""
    return has_words("puts_off", text, first=FIRST_WORDS)


def defers(text: str) -> bool:
    """Whether the user puts off a decision that is theirs."""
    return _DEFERS.search(lower_case(text)) is not None


def is_for_later(text: str) -> bool:
    """Whether a message names a later time, or what has to happen before: `on Thursday`, `once the scans are back`, `at 23:30`."""
    if has_words("for_later", text) or _AFTER_SOMEBODY.search(text) is not None:
        return True
    return _DIGIT.search(text) is not None and _TIME.search(text) is not None


def turns_elsewhere(text: str) -> bool:
    """Whether a message begins with something else than what was just talked about: `also …`."""
    return has_words("besides", text, first=OPENING_WORDS)


def has_question_word(text: str) -> bool:
    """Whether a message asks by a question word near its beginning, or anywhere where its language puts such words late."""
    return _opening(text) is not None or has_words("asks_anywhere", text)


def _opening(text: str) -> Hit[str] | None:
    """The words by which a message begins to ask; a verb does so at its very beginning only: `139 is fine` tells."""
    if hit := find_words("asks", text, first=ASKING_WORDS):
        return hit
    hit = find_words("asks_first", text, first=ASKING_WORDS)
    if hit is None:
        return None
    before = text[: hit.start].rstrip()
    leads = all(word in entries_of("leads_in") for word in words_of(before, ASKING_WORDS))
    return hit if leads or before.endswith(_CLAUSE_MARKS) else None


def asks_where(text: str) -> bool:
    """Whether a message asks for a place."""
    return has_words("asks_where", text)


def has_question_mark(text: str) -> bool:
    """Whether a text has a sign or a word that only questions have."""
    return _QUESTION_MARK.search(text) is not None


def asks(text: str) -> bool:
    """Whether a message is put as a question."""
    return has_question_mark(text) or has_question_word(text)


def only_asks(text: str) -> bool:
    """Whether a short message is one clause that opens with a question word, after no more than a greeting."""
    greeting = _GREETING.match(text)
    begin = greeting.end() if greeting is not None else 0
    if len(text) > MAX_QUESTION or _CLAUSE_SIGN.search(text, begin) is not None:
        return False
    hit = _opening(text)
    return (hit is not None and hit.start == begin) or has_words("asks_anywhere", text)


def may_ask(text: str) -> bool:
    """Whether a message is a question, or too short to be told from one."""
    return asks(text) or _TERSE.fullmatch(text) is not None


def resumes(text: str) -> bool:
    """Whether a short message says to go on with what was begun."""
    short = len(words_of(text, RESUMING_WORDS + 1)) <= RESUMING_WORDS and len(text) <= MAX_ACKNOWLEDGEMENT
    return short and has_words("goes_on", text)
