import { mkdir, readFile, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { type CatalogueEntry, loadCatalogue } from '@linchpin/catalogue'
import { fixturesPath, loadFixtures } from '@linchpin/kit/testing'
import type { Provider } from '../provider.ts'
import { describeProvider } from './describe-provider.ts'
import type { EvidenceFact } from './facts.ts'
import type { ProviderSource } from './provider-source.ts'

const CATALOGUE = fileURLToPath(new URL('../../../catalogue/', import.meta.url))

/** What is known about each provider of the catalogue. */
export async function readSources(): Promise<ProviderSource[]> {
  const { entries } = await loadCatalogue()
  return Promise.all(entries.filter(({ key }) => !WITHOUT_PROVIDER.has(key)).map(readSource))
}

/** The service answers for the one itself; the other is at any server that a customer names. */
const WITHOUT_PROVIDER: ReadonlySet<string> = new Set(['acme_sandbox', 'mcp_server'])

async function readSource({ key, name, versions }: CatalogueEntry): Promise<ProviderSource> {
  const [newest] = versions
  // Only the names of the authentication methods: what they are is what the evidence says.
  const { auth_specification: types } = JSON.parse(newest?.spec ?? '{}')
  const evidence = await readFile(path.join(CATALOGUE, 'evidence', `${key}.json`), 'utf8').catch(
    () => '[]',
  )
  return {
    key,
    name,
    authTypes: Object.keys(types),
    signInTypes: Object.keys(types).filter((name) => types[name].authorization_url !== undefined),
    facts: JSON.parse(evidence) as EvidenceFact[],
    fixtures: (await loadFixtures(
      fixturesPath(path.join(CATALOGUE, 'entries', `${key}.json`)),
    )) as ProviderSource['fixtures'],
  }
}

/** Writes what the emulator serves. @throws Error with every provider whose witnesses contradict each other */
async function writeProviders(output: string): Promise<void> {
  const errors: string[] = []
  const providers: Provider[] = []
  for (const source of await readSources())
    try {
      providers.push(describeProvider(source))
    } catch (error) {
      errors.push((error as Error).message)
    }
  if (errors.length > 0) throw new Error(errors.join('\n'))
  await mkdir(path.dirname(output), { recursive: true })
  await writeFile(output, JSON.stringify(providers))
}

const [, script, output] = process.argv
if (script === fileURLToPath(import.meta.url) && output !== undefined) await writeProviders(output)
