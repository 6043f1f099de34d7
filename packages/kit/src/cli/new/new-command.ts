import { access, mkdir, writeFile } from 'node:fs/promises'
import { dirname, join, resolve } from 'node:path'
import { createInterface } from 'node:readline/promises'
import type { Readable, Writable } from 'node:stream'
import { parseArgs } from 'node:util'
import { lintFile } from '../../build/lint-file.ts'
import { ENTRY_SCHEMA } from '../../entry/entry-schema.ts'
import { PLACEHOLDERS } from '../../lint/placeholders.ts'
import type { CliCommand } from '../cli-command.ts'
import { UsageError } from '../usage-error.ts'
import { type IntegrationAnswers, parseAnswers, QUESTIONS, validateAnswers } from './answers.ts'
import { AUTH_TEMPLATES, type AuthTemplate } from './auth-templates.ts'
import { renderBaseUrl } from './base-url.ts'
import { createEntry, createEntryFixtures, SCHEMA_NAME } from './entry-templates.ts'
import { quote } from './quote.ts'

/** `new`: writes an integration and its fixtures. Prompts for missing flags if there is a terminal. */
export const newCommand: CliCommand = {
  usage: 'new [<folder>] [--entry] [--name <name>] …',
  description: 'asks a few questions and writes an integration whose test passes',
  flags: {
    entry: 'writes an entry, which is data (JSON), instead of code',
    ...Object.fromEntries(QUESTIONS.map(({ flag, prompt }) => [flag, prompt])),
  },
  async run(args, output) {
    const flags = Object.fromEntries(
      QUESTIONS.map(({ flag }) => [flag, { type: 'string' }] as const),
    )
    const { positionals, values } = parseArgs({
      args: [...args],
      options: {
        ...(flags as Record<string, { type: 'string' }>),
        entry: { type: 'boolean' },
      },
      allowPositionals: true,
    })
    const { entry: isEntry = false, ...given } = values
    const [folder = '.', ...extra] = positionals
    if (extra.length > 0) throw new UsageError('Pass one folder.')
    const provided = given as Record<string, string>
    validateAnswers(provided)
    const answers = parseAnswers(
      process.stdin.isTTY ? await promptMissing(provided, process.stdin, process.stdout) : provided,
    )
    const sources = isEntry ? renderEntry(answers) : renderCode(answers)
    const paths = Object.keys(sources).map((name) => join(folder, name))
    for (const each of paths) await assertNotExists(each)
    await mkdir(folder, { recursive: true }).catch((error: NodeJS.ErrnoException) => {
      throw error.code === 'EEXIST' ? new Error(`${folder} is not a folder.`) : error
    })
    for (const [name, text] of Object.entries(sources)) await writeFile(join(folder, name), text)
    const [path = ''] = paths
    const project = isEntry ? writeSchema(folder) : writeProject(folder, answers.key)
    const written = [...paths, ...(await project)]
    const names = `${written.slice(0, -1).join(', ')} and ${written.at(-1)}`
    output.print(`Wrote ${names}.`)
    const { placeholders } = await lintFile(path)
    if (placeholders.length > 0) output.print(`Replace in ${path} before you publish it:`)
    for (const placeholder of placeholders) output.print(`  ${placeholder}`)
    output.print(`Next: npx linchpin-kit test ${path}`)
    return 0
  },
}

/** The files of an integration and its fixtures, by name. */
function renderCode(answers: IntegrationAnswers): Readonly<Record<string, string>> {
  return {
    [`${answers.key}.ts`]: writeIntegration(answers),
    [`${answers.key}.fixtures.ts`]: writeFixtures(answers),
  }
}

/** The same as data. */
function renderEntry(answers: IntegrationAnswers): Readonly<Record<string, string>> {
  return {
    [`${answers.key}.json`]: toJsonText(createEntry(answers)),
    [`${answers.key}.fixtures.json`]: toJsonText(createEntryFixtures(answers)),
  }
}

function toJsonText(value: unknown): string {
  return `${JSON.stringify(value, null, 2)}\n`
}

/** Writes the schema of entries, for editors, unless it is there. Returns the files that were written. */
async function writeSchema(folder: string): Promise<string[]> {
  const path = join(folder, SCHEMA_NAME)
  const write = writeFile(path, toJsonText(ENTRY_SCHEMA), { flag: 'wx' })
  return write.then(
    () => [path],
    (error: NodeJS.ErrnoException) => {
      if (error.code === 'EEXIST') return []
      throw error
    },
  )
}

async function assertNotExists(path: string): Promise<void> {
  const exists = await access(path).then(
    () => true,
    () => false,
  )
  if (exists) throw new Error(`${path} already exists.`)
}

/** Prompts for every missing answer until it is valid. An empty line selects the default. */
export async function promptMissing(
  provided: Readonly<Record<string, string>>,
  input: Readable,
  output: Writable,
): Promise<Record<string, string>> {
  const answers = { ...provided }
  const readline = createInterface({ input, output })
  const lines = readline[Symbol.asyncIterator]()
  try {
    for (const { flag, prompt, defaultAnswer, validate } of QUESTIONS) {
      while (answers[flag] === undefined) {
        const proposal = defaultAnswer(answers)
        output.write(`${prompt}${proposal === undefined ? '' : ` [${proposal}]`}: `)
        const { value, done } = await lines.next()
        if (done) throw new Error('The input ended before all questions were answered.')
        const answer = value.trim() || (proposal ?? '')
        const error = validate(answer)
        if (error === undefined) answers[flag] = answer
        else output.write(`It ${error}.\n`)
      }
    }
    return answers
  } finally {
    readline.close()
  }
}

/** The source of a new integration. It passes its own test; the lint lists its placeholders. */
export function writeIntegration(answers: IntegrationAnswers): string {
  const { name, key, category, baseUrl, authTemplate, checkPath, docs } = answers
  const template: AuthTemplate = AUTH_TEMPLATES[authTemplate]
  const baseUrlLines = renderBaseUrl(baseUrl)
  const names = [
    ...new Set([...template.imports, ...baseUrlLines.imports, 'defineIntegration']),
  ].sort()
  return `import { ${names.join(', ')} } from '@linchpin/kit'

// Write here when you looked each fact up, and where.
export default defineIntegration({
  key: ${quote(key)},
  name: ${quote(name)},
  category: ${quote(category)},
  version: '1.0.0',
  docs: ${quote(docs)},
${indent(2, baseUrlLines.lines)}  auth: {
${indent(4, template.lines(baseUrl))}  },
  check: {
    path: ${quote(checkPath)},
    errors: [{ status: 403, hint: ${quote(PLACEHOLDERS.hint)} }],
  },
  identity: { id: 'id', label: ['name', 'email'] },
})
`
}

/** The fixtures of a new integration. */
export function writeFixtures({ baseUrl, authTemplate, checkPath }: IntegrationAnswers): string {
  const { sends, extraLines }: AuthTemplate = AUTH_TEMPLATES[authTemplate]
  return `import { defineFixtures, reply } from '@linchpin/kit/testing'

// Put here what the provider documents: bodies, and statuses other than these.
export default defineFixtures({
  endpoint: ${quote(`GET ${baseUrl}${checkPath}`)},
  sends: ${sends},
  good: { id: 1, name: 'Ann', email: 'ann@example.com' },
  bad: reply(401, { message: 'unauthorized' }),
  insufficient: reply(403, { message: 'forbidden' }),
${indent(2, extraLines?.(baseUrl) ?? [])}  identity: { id: '1', label: 'Ann' },
})
`
}

function indent(by: number, lines: readonly string[]): string {
  return lines.map((line) => `${' '.repeat(by)}${line}\n`).join('')
}

/**
 * Writes `package.json` and `tsconfig.json` to the folder of a new integration, unless it is inside a project that has them.
 * Returns the files that were written.
 */
async function writeProject(folder: string, key: string): Promise<string[]> {
  const files = { 'package.json': createManifest(key), 'tsconfig.json': TSCONFIG }
  const written: string[] = []
  for (const [name, content] of Object.entries(files)) {
    if (await isInsideOneWith(name, folder)) continue
    const path = join(folder, name)
    await writeFile(path, `${JSON.stringify(content, null, 2)}\n`)
    written.push(path)
  }
  return written
}

/** The version of the kit that a new project depends on: its own. */
const KIT_VERSION = '0.1.0'

function createManifest(key: string) {
  const run = (command: string) => `linchpin-kit ${command} ${key}.ts`
  return {
    name: key.replaceAll('_', '-'),
    private: true,
    type: 'module',
    scripts: {
      dev: run('dev'),
      check: run('check'),
      test: run('test'),
      build: run('build'),
      publish: run('publish'),
      types: 'tsc',
    },
    devDependencies: { '@linchpin/kit': KIT_VERSION, typescript: '>=5.9' },
  }
}

const TSCONFIG = {
  compilerOptions: {
    strict: true,
    noEmit: true,
    module: 'preserve',
    moduleResolution: 'bundler',
    target: 'es2022',
    lib: ['es2023', 'dom'],
    types: [],
    skipLibCheck: true,
  },
  include: ['*.ts'],
}

/** Whether the folder or one above it has the file. */
async function isInsideOneWith(name: string, folder: string): Promise<boolean> {
  const path = resolve(folder)
  const exists = await access(join(path, name)).then(
    () => true,
    () => false,
  )
  return exists || (dirname(path) !== path && (await isInsideOneWith(name, dirname(path))))
}
