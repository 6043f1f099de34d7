import { existsSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import { compile } from '../build/compile.ts'
import { loadDefault } from '../build/load-integration.ts'
import type { Fixtures } from './fixtures.ts'
import { reply } from './reply.ts'

/** The fixtures in a file, as code or as data. @throws Error when there are none, or required properties are missing */
export async function loadFixtures(path: string): Promise<Fixtures> {
  const fixtures = path.endsWith('.json') ? await readData(path) : await readCode(path)
  const missing = REQUIRED_FIELDS.filter((name) => !Object.hasOwn(Object(fixtures), name))
  if (missing.length === 0) return fixtures as Fixtures
  throw new Error(`${path} lacks ${missing.join(', ')}: use defineFixtures(…).`)
}

async function readCode(path: string): Promise<unknown> {
  const { bytes } = await compile(path, 'exports.default = main')
  return loadDefault(new TextDecoder().decode(bytes))
}

async function readData(path: string): Promise<unknown> {
  return toFixtures(JSON.parse(await readFile(path, 'utf8')))
}

/** In data, a failure is `{ "status": 401, "body": … }`. */
function toFixtures(data: unknown): unknown {
  if (typeof data !== 'object' || data === null) return data
  return Object.fromEntries(
    Object.entries(data).map(([name, value]) => {
      if (name === 'types') return [name, mapValues(value, toFixtures)]
      if (name === 'login') return [name, toFixtures(value)]
      return [name, FAILURES.has(name) ? toFailure(value) : value]
    }),
  )
}

const FAILURES = new Set(['bad', 'insufficient', 'limited'])

function toFailure(value: unknown): unknown {
  const { status, body, headers } = Object(value)
  return typeof status === 'number' ? reply(status, body, headers) : value
}

function mapValues(all: object, map: (value: unknown) => unknown): object {
  return Object.fromEntries(Object.entries(all).map(([name, value]) => [name, map(value)]))
}

const REQUIRED_FIELDS = ['endpoint', 'sends', 'good']

/** The path of an integration's fixtures: next to it, as code or as data. */
export function fixturesPath(file: string): string {
  const path = join(dirname(file), `${basename(file).replace(/\.\w+$/, '')}.fixtures`)
  return existsSync(`${path}.json`) ? `${path}.json` : `${path}.ts`
}
