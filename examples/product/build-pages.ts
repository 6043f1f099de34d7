import { fileURLToPath } from 'node:url'
import { build } from 'vite'

/** Builds the front end into a folder with Vite. */
export async function buildPages(folder: string): Promise<void> {
  await build({
    root: fileURLToPath(new URL('web', import.meta.url)),
    configFile: false,
    logLevel: 'error',
    build: { outDir: folder, emptyOutDir: true },
  })
}
