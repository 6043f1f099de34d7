import { basename, dirname, join } from 'node:path'
import { compile } from '../build/build.ts'
import { loadDefault } from '../build/load-default.ts'
import type { Fixtures } from './fixtures.ts'

/** The fixtures of a file. @throws Error when there are none, or they lack what none can do without */
export async function loadFixtures(path: string): Promise<Fixtures> {
  const { bytes } = await compile(path, 'exports.default = main')
  const fixtures = loadDefault(new TextDecoder().decode(bytes))
  const missing = REQUIRED_FIELDS.filter((name) => !Object.hasOwn(Object(fixtures), name))
  if (missing.length === 0) return fixtures as Fixtures
  throw new Error(`${path} lacks ${missing.join(', ')}: use defineFixtures(…).`)
}

const REQUIRED_FIELDS = ['endpoint', 'sends', 'good']

/** Where the fixtures of an integration are: beside it. */
export function fixturesPath(file: string): string {
  return join(dirname(file), `${basename(file).replace(/\.\w+$/, '')}.fixtures.ts`)
}
