import { basename, dirname, join } from 'node:path'
import { compile } from '../build/build.ts'
import { loadDefault } from '../build/load-default.ts'
import type { Fixtures } from './fixtures.ts'

/** The fixtures of a file. @throws Error when there are none */
export async function loadFixtures(path: string): Promise<Fixtures> {
  const code = new TextDecoder().decode(await compile(path, 'exports.default = main'))
  return loadDefault(code) as Fixtures
}

/** Where the fixtures of an integration are: beside it. */
export function fixturesPath(file: string): string {
  return join(dirname(file), `${basename(file).replace(/\.\w+$/, '')}.fixtures.ts`)
}
