import { readFileSync, writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { type CatalogueEntry, loadCatalogue } from './src/index.ts'

const pageUrl = new URL('../../docs/catalogue.md', import.meta.url)
const BEGIN = '<!-- made by packages/catalogue/catalogue-table.ts -->\n'
const END = '<!-- end -->\n'

/** docs/catalogue.md with the table of all built integrations. `node packages/catalogue/catalogue-table.ts` writes it. */
export async function renderCataloguePage(): Promise<string> {
  const { entries } = await loadCatalogue()
  const text = readFileSync(pageUrl, 'utf8')
  const [before = '', rest = ''] = text.split(BEGIN)
  const after = rest.split(END)[1] ?? ''
  const listed = entries.filter(({ key }) => key !== 'acme_sandbox')
  return before + BEGIN + renderTable(listed) + END + after
}

function renderTable(entries: readonly CatalogueEntry[]): string {
  const dates = entries.map(({ key }) => findDate(key)).sort()
  const [first, last] = [dates[0], dates.at(-1)]
  const when = first === last ? `on ${first}` : `from ${first} to ${last}`
  return `Their documentation was read ${when}.

| key | name | category | auth types | documentation |
|---|---|---|---|---|
${entries.map(renderRow).join('')}`
}

function renderRow({ key, name, category, docs, versions }: CatalogueEntry): string {
  const spec = JSON.parse(versions[0]?.spec ?? '{}')
  const authTypes = Object.keys(spec.auth_specification).join(', ')
  return `| \`${key}\` | ${name} | ${category} | ${authTypes} | [${new URL(docs).host}](${docs}) |\n`
}

/** When the documentation of an integration was read, as its source says. @throws Error if it does not say so */
function findDate(key: string): string {
  const source = readFileSync(new URL(`./src/integrations/${key}.ts`, import.meta.url), 'utf8')
  const [, date] = /Looked up (\d{4}-\d\d-\d\d)/.exec(source) ?? []
  if (date === undefined) throw new Error(`${key}.ts does not say when its documentation was read.`)
  return date
}

if (process.argv[1] === fileURLToPath(import.meta.url))
  writeFileSync(pageUrl, await renderCataloguePage())
