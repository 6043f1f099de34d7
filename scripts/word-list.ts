/** An expression that the project does not use, and what to write instead. */
export interface BannedExpression {
  /** Matched in prose: comments, strings, Markdown, wherever the words are on the page. */
  readonly prose?: RegExp
  /** Matched against the words of identifiers in camelCase, lower-cased. */
  readonly names?: readonly string[]
  readonly instead: string
  readonly reason: string
}

const FIELD = 'the field has a word for it'
const ACTOR = 'name the actor'
const METAPHOR = 'a metaphor needs an explanation'
const IDIOM = 'not idiomatic English'

/** The words that `npm run check` refuses. Patterns have context where a word also has an ordinary use. */
export const WORD_LIST: readonly BannedExpression[] = [
  {
    // `renew` is a property of entries.
    prose: /\b(?:renew(?:s|ed|ing|al|als)|unrenewed)\b/i,
    names: ['renews', 'renewed', 'renewing', 'renewal', 'renewals'],
    instead: 'refresh',
    reason: FIELD,
  },
  {
    prose: /\bjudg(?:e|es|ed|ing|ements?)\b/i,
    names: ['judge', 'judges', 'judged', 'judging'],
    instead: 'validate, evaluate, check',
    reason: FIELD,
  },
  {
    prose: /(?<!segmentation |page )\bfaults?\b(?! (?:injection|tolerant|tolerance))/i,
    names: ['fault', 'faults'],
    instead: 'error, failure',
    reason: FIELD,
  },
  {
    prose: /\b(?:foresees?|foreseen|foresaw)\b/i,
    names: ['foresee', 'foreseen'],
    instead: 'predict, expect',
    reason: FIELD,
  },
  {
    prose: /\b(?:test|page|oauth|stub|renewal|revoking)[ -]worlds?\b/i,
    names: ['world', 'worlds'],
    instead: 'test context',
    reason: FIELD,
  },
  { prose: /\bcircles? of (?:imports|files|folders)\b/i, instead: 'cycle', reason: FIELD },
  { prose: /\bdead (?:grants?|tokens?)\b/i, instead: 'revoked, invalid', reason: FIELD },
  { prose: /\bwaiting lines?\b/i, instead: 'queue', reason: FIELD },
  { prose: /\bhot quer(?:y|ies)\b/i, instead: 'prepared query', reason: FIELD },
  { prose: /\blets? go of\b/i, instead: 'releases', reason: FIELD },
  { prose: /\bhands? (?:on|over|down)\b/i, instead: 'passes, forwards', reason: FIELD },
  {
    prose: /\banswers (?:an?|its|no|nothing|\d{3})\b/i,
    instead: 'returns, responds with',
    reason: FIELD,
  },
  { prose: /\bturn(?:s|ed)? away\b/i, instead: 'rejects', reason: FIELD },
  {
    prose: /\b(?:[Ww]hoever|[Nn]obody|[Ss]omebody|[Aa]nybody|[Ee]verybody)\b/,
    names: ['whoever', 'nobody', 'somebody', 'anybody', 'everybody'],
    instead: 'the caller, the client, anyone with the link, no one',
    reason: ACTOR,
  },
  { prose: /\bstrangers?\b/i, names: ['stranger'], instead: 'another user', reason: ACTOR },
  { prose: /\bpages? for people\b/i, instead: 'HTML page, user-facing page', reason: ACTOR },
  {
    prose: /\b(?:is|are|was|were|be|been|being) told\b/i,
    names: ['told', 'untold'],
    instead: 'is notified of, receives, the response includes',
    reason: ACTOR,
  },
  {
    prose: /\b(?:is|are|was|were|be|been) (?:asked|brought)\b(?! to (?:sign|confirm|enter))/i,
    names: ['asker', 'brought'],
    instead: 'is requested, is sent',
    reason: ACTOR,
  },
  {
    prose: /\b(?:is|are|was|were|be|been) kept\b(?! (?:secret|open|alive|short|in sync|apart))/i,
    names: ['kept'],
    instead: 'is stored, is cached, is retained',
    reason: FIELD,
  },
  {
    prose: /\b(?:is|are|was|were|be|been|holds?) (?:held )?against\b/i,
    instead: 'is checked against, compares with',
    reason: IDIOM,
  },
  {
    prose: /\bone-way street\b|\b(?:map|rules) of the house\b/i,
    names: ['street'],
    instead: 'layers; repository layout; conventions',
    reason: METAPHOR,
  },
  {
    prose: /\bthe gate\b|\bways? (?:home|out)\b/i,
    instead: 'egress gateway; redirect URI; outgoing requests',
    reason: METAPHOR,
  },
  { prose: /\bjail(?:s|ed)?\b/i, instead: 'sandbox', reason: FIELD },
  { prose: /\briddles?\b/i, names: ['riddle'], instead: 'problem', reason: METAPHOR },
  {
    prose: /\b(?:that|which|who) (?:is|are|was|were) none\b/i,
    instead: 'invalid, missing',
    reason: IDIOM,
  },
  { prose: /\bonce more\b/i, instead: 'again', reason: IDIOM },
  { prose: /\bgoes by\b/i, instead: 'uses, is keyed by', reason: IDIOM },
  {
    prose: /\bas (?:it|they) (?:is|are|was|were|came)(?=[.,;:)])/i,
    instead: 'unchanged',
    reason: IDIOM,
  },
  {
    prose: /\bstands? (?:in|at|on|beside)\b(?! for)/i,
    instead: 'is in, appears in',
    reason: IDIOM,
  },
  {
    prose:
      /\b(?:does not|doesn't|not) (?:say|tell) (?:which|why|how|whether)\b|\bsays? nothing (?:of|about)\b/i,
    instead: 'omits, does not reveal',
    reason: IDIOM,
  },
  {
    prose: /\bmend(?:s|ed|ing)?\b/i,
    names: ['mend', 'mends', 'mended'],
    instead: 'fix',
    reason: IDIOM,
  },
  { prose: /\bin (?:silence|vain)\b/i, instead: 'silently; without success', reason: IDIOM },
  {
    prose: /\bas many as it takes\b|\bas things are\b/i,
    instead: 'up to its limit; now',
    reason: IDIOM,
  },
  { prose: /\b(?:hears?|heard|wants? to hear) of\b/i, instead: 'is notified of', reason: IDIOM },
  { prose: /\bof no use\b/i, instead: 'invalid, unusable', reason: IDIOM },
]
