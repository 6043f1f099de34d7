import { modules } from './modules.js'

/** The bundle's `require`: the modules that stand in for Node's, and MODULE_NOT_FOUND for everything else. */
export function require(id) {
  const name = `${id}`.replace(/^node:/, '')
  if (Object.hasOwn(modules, name)) return modules[name]
  const error = new Error(`Cannot find module '${id}'\nRequire stack:\n- /bundle/index.js`)
  throw Object.assign(error, {
    code: 'MODULE_NOT_FOUND',
    requireStack: ['/bundle/index.js'],
  })
}

process.getBuiltinModule = (id) => (modules.module.isBuiltin(id) ? require(id) : undefined)

require.cache = {}
require.main = undefined
require.extensions = {}
require.resolve = (id) => {
  require(id)
  return `${id}`
}
require.resolve.paths = () => null

modules.module = Object.assign(class Module {}, {
  builtinModules: Object.keys(modules),
  createRequire: () => require,
  isBuiltin: (id) => Object.hasOwn(modules, `${id}`.replace(/^node:/, '')),
})
modules.module.Module = modules.module
