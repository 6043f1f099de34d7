import { access, writeFile } from 'node:fs/promises'
import { dirname, join, resolve } from 'node:path'

/**
 * Writes `package.json` and `tsconfig.json` to the folder of a new integration, unless it is inside a project that has them.
 * Returns the files that were written.
 */
export async function writeProject(folder: string, key: string): Promise<string[]> {
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
export const KIT_VERSION = '0.1.0'

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
