import { glob, readFile } from 'node:fs/promises'
import path from 'node:path'

/** One figure of the size of the project. */
export interface HouseFigure {
  readonly name: string
  readonly value: number
}

/**
 * Counts what a reader has before them: production files and their lines (without tests and what only tests use), the tables of
 * the database, and the words of the documents.
 *
 * @param root the folder of the repository
 */
export async function measureHouse(root: string): Promise<HouseFigure[]> {
  const server = await readAll(root, 'packages/server/src/**/*.ts')
  const runner = await readAll(root, 'packages/runner/src/**/*.{ts,js}')
  const documents = await Promise.all(DOCUMENTS.map((pattern) => readAll(root, pattern)))
  const migration = await readFile(
    path.join(root, 'packages/server/migrations/0001-initial.ts'),
    'utf8',
  )
  return [
    { name: 'files of packages/server/src', value: server.length },
    { name: 'lines of packages/server/src', value: countLines(server) },
    { name: 'lines of packages/runner/src', value: countLines(runner) },
    { name: 'tables', value: [...migration.matchAll(/create table /g)].length },
    { name: 'words of documents', value: countWords(documents.flat()) },
    {
      name: 'words of README.md',
      value: countWords([await readFile(path.join(root, 'README.md'), 'utf8')]),
    },
  ]
}

const DOCUMENTS = ['*.md', 'docs/**/*.md', 'packages/**/README.md', 'examples/**/README.md']
const IS_TEST = /\.test\.ts$|(^|\/)test\//

async function readAll(root: string, pattern: string): Promise<string[]> {
  const texts: string[] = []
  for await (const file of glob(pattern, { cwd: root, exclude: (name) => name === 'node_modules' }))
    if (!IS_TEST.test(file.replaceAll('\\', '/')))
      texts.push(await readFile(path.join(root, file), 'utf8'))
  return texts
}

function countLines(texts: readonly string[]): number {
  return texts.reduce((sum, text) => sum + text.split('\n').length - 1, 0)
}

function countWords(texts: readonly string[]): number {
  return texts.reduce((sum, text) => sum + (text.match(/\S+/g)?.length ?? 0), 0)
}
