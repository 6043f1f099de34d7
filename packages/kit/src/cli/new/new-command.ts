import { access, mkdir, writeFile } from 'node:fs/promises'
import { dirname, join, resolve } from 'node:path'
import { createInterface } from 'node:readline/promises'
import type { Readable, Writable } from 'node:stream'
import { parseArgs } from 'node:util'
import { lintFile } from '../../build/lint-file.ts'
import { PLACEHOLDERS } from '../../lint/placeholders.ts'
import type { CliCommand } from '../cli-command.ts'
import { UsageError } from '../usage-error.ts'
import { type IntegrationAnswers, parseAnswers, QUESTIONS, validateAnswers } from './answers.ts'
import { AUTH_TEMPLATES, type AuthTemplate } from './auth-templates.ts'
import { renderBaseUrl } from './base-url.ts'
import { quote } from './quote.ts'

/** `new`: writes an integration and its fixtures. Prompts for missing flags if there is a terminal. */
export const newCommand: CliCommand = {
  usage: 'new [<folder>] [--name <name>] …',
  description: 'asks a few questions and writes an integration whose test passes',
  flags: Object.fromEntries(QUESTIONS.map(({ flag, prompt }) => [flag, prompt])),
  async run(args, output) {
    const flags = Object.fromEntries(
      QUESTIONS.map(({ flag }) => [flag, { type: 'string' }] as const),
    )
    const { positionals, values } = parseArgs({
      args: [...args],
      options: flags as Record<string, { type: 'string' }>,
      allowPositionals: true,
    })
    const [folder = '.', ...extra] = positionals
    if (extra.length > 0) throw new UsageError('Pass one folder.')
    const provided = values as Record<string, string>
    validateAnswers(provided)
    const answers = parseAnswers(
      process.stdin.isTTY ? await promptMissing(provided, process.stdin, process.stdout) : provided,
    )
    const path = join(folder, `${answers.key}.ts`)
    const fixtures = join(folder, `${answers.key}.fixtures.ts`)
    for (const each of [path, fixtures]) await assertNotExists(each)
    await mkdir(folder, { recursive: true }).catch((error: NodeJS.ErrnoException) => {
      throw error.code === 'EEXIST' ? new Error(`${folder} is not a folder.`) : error
    })
    await writeFile(path, writeIntegration(answers))
    await writeFile(fixtures, writeFixtures(answers))
    const written = [path, fixtures, ...(await writeProject(folder, answers.key))]
    const names = `${written.slice(0, -1).join(', ')} and ${written.at(-1)}`
    output.print(`Wrote ${names}.`)
    const { placeholders } = await lintFile(path)
    if (placeholders.length > 0) output.print(`Replace in ${path} before you publish it:`)
    for (const placeholder of placeholders) output.print(`  ${placeholder}`)
    output.print(`Next: npx linchpin-kit test ${path}`)
    return 0
  },
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
