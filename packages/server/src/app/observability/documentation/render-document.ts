import { Marked, type Tokens } from 'marked'
import { renderCode } from '../../../platform/ui/code.ts'
import { Html, html } from '../../../platform/ui/html.ts'
import { toAnchor, toPage, toPlainText } from './to-page.ts'

/** Renders a Markdown file of the repository. Links between documents lead to their pages, others are text. */
export function renderDocument(file: string, markdown: string): Html {
  const usedAnchors = new Map<string, number>()
  const marked = new Marked({
    gfm: true,
    renderer: {
      heading({ tokens, depth, text }) {
        const anchor = createAnchor(text, usedAnchors)
        return html`<h${depth} id="${anchor}">${new Html(this.parser.parseInline(tokens))} <a class="anchor" href="#${anchor}" aria-label="Link to this section">#</a></h${depth}>
`.text
      },
      link({ href, tokens }) {
        return html`<a href="${href.replace(/\.md(?=#|$)/, '')}">${new Html(this.parser.parseInline(tokens))}</a>`
          .text
      },
      code({ text, lang }) {
        return renderCode(TITLES[lang ?? ''] ?? '', text, lang ?? '').text
      },
      table(token: Tokens.Table) {
        return html`<div class="table" tabindex="0"><table><thead><tr>${token.header.map((cell) => new Html(`<${cell.text === '' ? 'td' : 'th'}>${this.parser.parseInline(cell.tokens)}</${cell.text === '' ? 'td' : 'th'}>`))}</tr></thead>
<tbody>${token.rows.map((row) => html`<tr>${row.map(({ tokens }) => html`<td>${new Html(this.parser.parseInline(tokens))}</td>`)}</tr>\n`)}</tbody></table></div>
`.text
      },
    },
  })
  return new Html(marked.parse(toPage(file, markdown), { async: false }))
}

/** The second heading of the same text gets the suffix `-1`, as at GitHub. */
function createAnchor(heading: string, used: Map<string, number>): string {
  const anchor = toAnchor(toPlainText(heading))
  const count = used.get(anchor) ?? 0
  used.set(anchor, count + 1)
  return count === 0 ? anchor : `${anchor}-${count}`
}

const TITLES: Readonly<Record<string, string>> = {
  sh: 'Terminal',
  ts: 'TypeScript',
  tsx: 'TypeScript',
  js: 'JavaScript',
  json: 'JSON',
  html: 'HTML',
  http: 'HTTP',
  text: 'Output',
  yaml: 'YAML',
  ini: 'systemd',
  python: 'Python',
  promql: 'PromQL',
}
