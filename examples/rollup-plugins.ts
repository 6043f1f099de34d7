import { createRequire } from 'node:module'
import { nodeResolve } from '@rollup/plugin-node-resolve'
import { transform } from 'esbuild'
import type { Plugin } from 'rollup'

/** The plugins that authors of integrations commonly use: they bundle everything except Node's built-in modules. */
export function createRollupPlugins(): Plugin[] {
  return [
    nodeResolve({ preferBuiltins: true, exportConditions: ['node'] }),
    stripTypes(),
    commonjs({ ignoreTryCatch: true }),
    json(),
  ]
}

// The declared types of the default exports differ from what `import` yields in Node.
const load = createRequire(import.meta.url)
const commonjs: (options: { ignoreTryCatch: boolean }) => Plugin = load('@rollup/plugin-commonjs')
const json: () => Plugin = load('@rollup/plugin-json')

function stripTypes(): Plugin {
  return {
    name: 'strip-types',
    async transform(code, id) {
      if (!id.endsWith('.ts')) return null
      const result = await transform(code, { loader: 'ts', target: 'es2022', sourcefile: id })
      return { code: result.code, map: null }
    },
  }
}
