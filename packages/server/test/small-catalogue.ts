import { hash } from 'node:crypto'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import {
  type Catalogue,
  type CatalogueEntry,
  compareVersions,
  loadRuntimes,
} from '@linchpin/catalogue'
import { build, loadIntegration } from '@linchpin/kit/build'
import { bundleEntry, type Entry } from '@linchpin/kit/entry'

/** A bundle that the kit has built. */
export interface BuiltVersion {
  readonly key: string
  readonly version: string
  readonly code: string
  readonly sha256: string
  /** What it is made of, if it is data. */
  readonly entry?: Entry
}

/** An integration as data, with the published code that runs it. */
export async function buildEntryVersion(entry: Entry): Promise<BuiltVersion> {
  const runtimes = await loadRuntimes()
  const code = bundleEntry(entry, runtimes.get(entry.runtime) ?? '')
  return { key: entry.key, version: entry.version, code, sha256: hash('sha256', code), entry }
}

/** Optional parts of an integration: the path of its check, and further fields. */
export interface VersionOptions {
  readonly path?: string
  /** TypeScript of further fields, such as `region: text('Region')`. */
  readonly fields?: string
}

/** An integration that the kit builds: it sends an API key to `{base_url}{path}`. */
export async function buildVersion(
  key: string,
  version: string,
  { path: checkPath = '/check', fields = '' }: VersionOptions = {},
): Promise<BuiltVersion> {
  const folder = await mkdtemp(path.join(tmpdir(), 'linchpin-small-'))
  const file = path.join(folder, `${key}.ts`)
  await writeFile(
    file,
    `import { apiKey, defineIntegration, secret, text, url } from '@linchpin/kit'
    export const unused = text
    export default defineIntegration({
      key: '${key}', name: 'Acme ${key}', category: 'SUPPORT', version: '${version}',
      docs: 'https://acme.example/docs', hosts: 'any', apiBaseUrl: '\${base_url}',
      inputs: { base_url: url('Address', { placeholder: 'https://acme.example' }) },
      auth: { 'Api Key': apiKey({ name: 'X-Api-Key', fields: { api_key: secret('Key', { help: 'There.' }), ${fields} } }) },
      check: { path: '${checkPath}' },
    })`,
  )
  try {
    const { code, sha256 } = await build(file)
    return { key, version, code, sha256 }
  } finally {
    await rm(folder, { recursive: true })
  }
}

/** A catalogue of these versions, in memory. */
export async function createSmallCatalogue(versions: readonly BuiltVersion[]): Promise<Catalogue> {
  const entries = [...Map.groupBy(versions, ({ key }) => key)].map(async ([key, all]) => ({
    key,
    name: `Acme ${key}`,
    category: 'SUPPORT',
    stage: 'ALPHA',
    docs: 'https://acme.example/docs',
    hasIcon: key === 'desk',
    versions: (
      await Promise.all(
        all.map(async ({ version, sha256, code, entry }) => ({
          version,
          sha256,
          ...(entry !== undefined && { entry }),
          spec: JSON.stringify(await loadIntegration(code)('SPEC')),
        })),
      )
    ).toSorted((one, other) => compareVersions(other.version, one.version)),
  }))
  const isData = versions.some(({ entry }) => entry !== undefined)
  const codes = new Map(versions.map(({ key, version, code }) => [`${key} ${version}`, code]))
  return {
    runtimes: isData ? await loadRuntimes() : new Map(),
    entries: (await Promise.all(entries)) satisfies CatalogueEntry[],
    async bundle(key, version) {
      const code = codes.get(`${key} ${version}`)
      return code === undefined ? undefined : Buffer.from(code)
    },
    icon: async (key) => (key === 'desk' ? Buffer.from('<svg/>') : undefined),
  }
}
