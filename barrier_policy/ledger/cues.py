"""Words by which people put off, wait and ask for the same once more: lists per language, which end where the list ends."""

from __future__ import annotations

import re

POSTPONES = re.compile(
    r"\b(?:meanwhile|in the meantime|(?:let me|i(?:'|’)?ll|i will|i have to|i need to|i must) (?:first )?(?:ask|check with|think|sleep on|sleep over|get back|tell you|let you know)"
    r"|(?:tell|let) you (?:know )?(?:later|tomorrow|after)|get back to you|(?:don(?:'|’)?t|do not) know yet|not sure yet|not yet|hold on"
    r"|inzwischen|derweil|einstweilen|unterdessen|in der zwischenzeit|muss (?:ich )?(?:erst|noch) (?:nach)?fragen|noch nicht|noch nichts|muss (?:ich )?(?:erst|noch)|(?:kläre?|frage?|überlege) (?:ich )?(?:das |es )?noch|ich frage? (?:erst|noch)|melde mich"
    r"|en attendant|entre-temps|je (?:te|vous) (?:dirai|redis)|pas encore|mientras tanto|entretanto|te (?:digo|aviso) (?:luego|mañana)|todavía no|aún no"
    r"|nel frattempo|intanto|ti (?:dico|faccio sapere)|non ancora|non (?:lo )?so ancora|enquanto isso|ainda não|ondertussen|intussen|nog niet"
    r"|under tiden|frågar|så länge|imens|inte än|ikke ennå|ikke endnu|tymczasem|jeszcze nie|zapytam|mezitím|ještě ne\w*|zeptám se|bu arada|henüz değil|тем временем|ещё не|пока не)\b"
    r"|その間|まだ|同时先|还没|先不|그동안|아직",
    re.IGNORECASE,
)
"""Words by which somebody puts an answer off and turns to something else."""

WAITS = re.compile(
    r"\b(?:i(?:'|’)?(?:m| am)? ?wait(?:ing)? for (?:your|you|a go|the go)|awaiting your|ich warte auf (?:dein|ihr|eur|die freigabe|das ok)|j(?:'|’)attends (?:ton|ta|votre|le feu)"
    r"|espero (?:tu|su|a que)|aspetto (?:il tuo|la tua|un tuo)|aguardo (?:o seu|a sua|sua|seu)|ik wacht op (?:je|jouw|uw)|jag väntar på (?:ditt|din)|czekam na (?:twoj|twój|pańsk)|жду (?:вашего|твоего))",
    re.IGNORECASE,
)
"""Words by which the agent says that the user must speak first."""

SHARE = re.compile(
    r"\b(\d{1,4}) (?:out )?(?:of|von|sur|de|di|van|av|af|z|ze|из)(?: the| den| les| los| i| de| do)? (\d{1,4})\b"
)
"""A share of a whole, `4 of 10`."""

REPEATS = re.compile(
    r"\b(?:again|same|once more|re-?run|nochmals?|wieder|erneut|gleich\w*|encore|même|de nouveau|otra vez|de nuevo|mism\w+|ancora|di nuovo|stess\w+"
    r"|de novo|outra vez|mesm\w+|opnieuw|nog eens|dezelfde|снова|ещё раз|опять|jeszcze raz|ponownie|znovu|ještě jednou|tekrar|yine)\b"
    r"|もう一度|同じ|再び|再来|再跑|再次|重新|一样|다시|똑같",
    re.IGNORECASE,
)
"""Words by which somebody asks for the same thing once more; what was called then is the recipe."""
