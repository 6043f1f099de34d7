import {
  cpSync,
  globSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { transformSync } from 'esbuild'
import { type Compilation, compileInto, ROOT } from './pack-package.ts'

/** A package that is published as JavaScript with types. */
interface Library {
  readonly folder: string
  readonly compilation: Omit<Compilation, 'rootDir'>
}

/** The libraries by the names of their folders. */
export const LIBRARIES = {
  client: {
    folder: path.join(ROOT, 'packages/client'),
    compilation: {
      base: 'tsconfig.browser.json',
      entries: ['index.ts', 'use-link.ts'],
      options: { typeRoots: [path.join(ROOT, 'node_modules/@types')] },
    },
  },
  sdk: {
    folder: path.join(ROOT, 'packages/sdk'),
    compilation: {
      base: 'tsconfig.browser.json',
      entries: ['index.ts', 'webhooks.ts'],
      options: { target: 'es2022', lib: ['es2022', 'dom', 'dom.iterable', 'dom.asynciterable'] },
    },
  },
} as const satisfies Readonly<Record<string, Library>>

/** Modules that consist of types only, so that their source is their declaration. */
const TYPE_MODULES: ReadonlySet<string> = new Set(['api-types'])

/**
 * Writes the JavaScript and the declarations of a library. The declarations are those in `published/`, so that a clone needs no
 * compiler of TypeScript for it.
 */
export function writeLibrary({ folder }: Library, outputFolder: string): void {
  cpSync(path.join(folder, 'published'), outputFolder, { recursive: true })
  for (const name of TYPE_MODULES) {
    const source = path.join(folder, `src/${name}.ts`)
    if (globSync(source).length > 0) cpSync(source, path.join(outputFolder, `${name}.d.ts`))
  }
  for (const file of globSync('**/*.d.ts', { cwd: outputFolder })) {
    const name = file.slice(0, -'.d.ts'.length)
    const source = readFileSync(path.join(folder, `src/${name}.ts`), 'utf8')
    const { code } = transformSync(source, {
      loader: 'ts',
      format: 'esm',
      target: 'es2022',
      charset: 'utf8',
      tsconfigRaw: { compilerOptions: { verbatimModuleSyntax: true } },
    })
    const javascript = code.replace(/((?:from|import) ?\(?")(\.[^"]*)\.ts"/g, '$1$2.js"')
    writeFileSync(path.join(outputFolder, `${name}.js`), javascript)
  }
}

/** The declarations of a library by their paths, as the compiler writes them. @throws Error with its output */
export function compileDeclarations({ folder, compilation }: Library): Map<string, string> {
  const temporary = mkdtempSync(path.join(tmpdir(), 'declarations-'))
  try {
    const output = path.join(temporary, 'dist')
    compileInto(output, { ...compilation, rootDir: path.join(folder, 'src') })
    const files = globSync('**/*.d.ts', { cwd: output }).filter(
      (file) => !TYPE_MODULES.has(file.slice(0, -'.d.ts'.length)),
    )
    return new Map(
      files.toSorted().map((file) => [file, readFileSync(path.join(output, file), 'utf8')]),
    )
  } finally {
    rmSync(temporary, { recursive: true })
  }
}

/** The declarations in `published/` by their paths. */
export function readDeclarations({ folder }: Library): Map<string, string> {
  const published = path.join(folder, 'published')
  const files = globSync('**/*.d.ts', { cwd: published }).toSorted()
  return new Map(files.map((file) => [file, readFileSync(path.join(published, file), 'utf8')]))
}

/** Replaces the declarations in `published/`. */
export function writeDeclarations(library: Library): void {
  const published = path.join(library.folder, 'published')
  rmSync(published, { recursive: true, force: true })
  for (const [file, text] of compileDeclarations(library)) {
    mkdirSync(path.dirname(path.join(published, file)), { recursive: true })
    writeFileSync(path.join(published, file), text)
  }
}
