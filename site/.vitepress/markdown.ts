import type { MarkdownRenderer } from 'vitepress'

type Token = ReturnType<MarkdownRenderer['parse']>[number]

/** Renders what the documents contain for all widths: tables, lists to tick off, long names, dates. */
export function configureMarkdown(md: MarkdownRenderer): void {
  md.core.ruler.push('table-labels', ({ tokens }) => labelCells(tokens))
  md.core.ruler.push('tasks', ({ tokens }) => markTasks(tokens))
  const { rules } = md.renderer
  // A header cell without text is announced as an empty header.
  rules.th_open = (tokens, index) => (tokens[index + 1]?.content === '' ? '<td>' : '<th>')
  rules.th_close = (tokens, index) => (tokens[index - 1]?.content === '' ? '</td>' : '</th>')
  rules.code_inline = (tokens, index) =>
    `<code v-pre>${breakable(md.utils.escapeHtml(tokens[index]?.content ?? ''))}</code>`
  rules.text = (tokens, index) =>
    md.utils
      .escapeHtml(tokens[index]?.content ?? '')
      .replaceAll(/\b\d{4}-\d\d-\d\d\b/g, '<span class="date">$&</span>')
}

/** Gives each cell the text of its header as `data-label`: narrow screens show it in front of the cell. */
function labelCells(tokens: readonly Token[]): void {
  let labels: string[] = []
  let column = 0
  tokens.forEach((token, index) => {
    if (token.type === 'thead_open') labels = []
    if (token.type === 'tr_open') column = 0
    if (token.type === 'th_open') labels.push(toText(tokens[index + 1]))
    if (token.type !== 'td_open') return
    const label = labels[column]
    if (column > 0 && label) token.attrSet('data-label', label)
    column += 1
  })
}

const toText = (token: Token | undefined): string =>
  (token?.children ?? []).map(({ content }) => content).join('')

/** Items that begin with `[ ]`: a box of the style sheet replaces these characters. */
function markTasks(tokens: readonly Token[]): void {
  tokens.forEach((token, index) => {
    const text = tokens[index + 2]?.children?.[0]
    if (token.type !== 'list_item_open' || !text?.content.startsWith('[ ] ')) return
    token.attrSet('class', 'task')
    text.content = text.content.slice('[ ] '.length)
  })
}

/** Lets long names break where their parts begin. */
function breakable(html: string): string {
  return html.replaceAll(/([A-Za-z0-9][_./=:]|[a-z](?=[A-Z]))(?=[\w$]{2})/g, '$1<wbr>')
}
