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
  const head =
    '| key | name | category | auth types | documentation | checked on |\n|---|---|---|---|---|---|\n'
  return (
    before +
    BEGIN +
    head +
    entries
      .filter(({ key }) => key !== 'acme_sandbox')
      .map(tableRow)
      .join('') +
    END +
    after
  )
}

function tableRow({ key, name, category, docs, versions }: CatalogueEntry): string {
  const spec = JSON.parse(versions[0]?.spec ?? '{}')
  const authTypes = Object.keys(spec.auth_specification).join(', ')
  const source = readFileSync(new URL(`./src/integrations/${key}.ts`, import.meta.url), 'utf8')
  const verifiedOn = /Looked up (\d{4}-\d\d-\d\d)/.exec(source)?.[1] ?? ''
  return `| \`${key}\` | ${name} | ${category} | ${authTypes} | [${new URL(docs).host}](${docs}) | ${verifiedOn} |\n`
}

if (process.argv[1] === fileURLToPath(import.meta.url))
  writeFileSync(pageUrl, await renderCataloguePage())
