import { type Html, html } from './html.ts'

/**
 * A block of code with a title; it can be scrolled with the keyboard, and the page's script adds a button that copies it.
 * `language` is also a class of the block: the reader's choice between `curl` and `ts` hides the other one.
 */
export function renderCode(title: string, code: string, language: string): Html {
  return html`<figure class="code ${language}"><figcaption>${title}</figcaption><pre tabindex="0"><code>${highlight(code, language)}</code></pre></figure>
`
}

/**
 * Code as HTML in which comments, keywords, strings and literals have a class of the style sheet. It knows as much of shell,
 * TypeScript and JSON as the samples of our documentation need; other languages stay plain.
 *
 * The types of the usual highlighters add those of browsers to every file of the server.
 */
export function highlight(code: string, language: string): Html {
  const pattern = PATTERNS[language]
  if (pattern === undefined) return html`${code}`
  const parts: (Html | string)[] = []
  let end = 0
  for (const match of code.matchAll(pattern)) {
    const [kind] = Object.entries(match.groups ?? {}).find(([, text]) => text !== undefined) ?? []
    parts.push(code.slice(end, match.index), html`<span class="code-${kind}">${match[0]}</span>`)
    end = match.index + match[0].length
  }
  return html`${[...parts, code.slice(end)]}`
}

const STRING = String.raw`(?<string>'(?:[^'\\]|\\.)*'|"(?:[^"\\]|\\.)*"|${'`'}(?:[^${'`'}\\]|\\.)*${'`'})`
const NUMBER = String.raw`\b(?:true|false|null|undefined|-?\d[\d_]*(?:\.\d+)?)\b`

const SHELL = new RegExp(
  String.raw`(?<comment>(?<=^|\s)#.*$)|${STRING}|(?<literal>\$\w+|\$\{\w+\})|(?<keyword>(?<=^|[|;&(]\s*)(?:curl|npm|npx|node|export|git|docker|linchpin|cd|psql|kubectl|systemctl)\b|(?<=\s)--?[A-Za-z][\w-]*)`,
  'gm',
)
const TYPESCRIPT = new RegExp(
  String.raw`(?<comment>//.*$|/\*[\s\S]*?\*/)|${STRING}|(?<literal>${NUMBER})|(?<keyword>\b(?:import|from|export|default|const|let|function|async|await|return|for|of|if|else|new|throw|try|catch|type|interface|switch|case|class|extends)\b)`,
  'gm',
)
const JSON_PATTERN = new RegExp(
  String.raw`(?<keyword>"(?:[^"\\]|\\.)*"(?=\s*:))|(?<string>"(?:[^"\\]|\\.)*")|(?<literal>${NUMBER})`,
  'g',
)

const PATTERNS: Readonly<Record<string, RegExp>> = {
  sh: SHELL,
  curl: SHELL,
  ts: TYPESCRIPT,
  tsx: TYPESCRIPT,
  js: TYPESCRIPT,
  json: JSON_PATTERN,
}
