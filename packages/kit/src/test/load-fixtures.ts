import { basename, dirname, join } from 'node:path'
import { compile } from '../build/compile.ts'
import { loadDefault } from '../build/load-integration.ts'
import type { Fixtures } from './fixtures.ts'

/** The fixtures in a file. @throws Error when there are none, or required properties are missing */
export async function loadFixtures(path: string): Promise<Fixtures> {
  const { bytes } = await compile(path, 'exports.default = main')
  const fixtures = loadDefault(new TextDecoder().decode(bytes))
  const missing = REQUIRED_FIELDS.filter((name) => !Object.hasOwn(Object(fixtures), name))
  if (missing.length === 0) return fixtures as Fixtures
  throw new Error(`${path} lacks ${missing.join(', ')}: use defineFixtures(…).`)
}

const REQUIRED_FIELDS = ['endpoint', 'sends', 'good']

/** The path of an integration's fixtures: next to it. */
export function fixturesPath(file: string): string {
  return join(dirname(file), `${basename(file).replace(/\.\w+$/, '')}.fixtures.ts`)
}
