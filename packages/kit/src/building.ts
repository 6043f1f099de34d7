export { type BuiltBundle, build, MAX_BUNDLE_BYTES } from './build/build.ts'
export { loadIntegration } from './build/load-integration.ts'
export { CATEGORIES } from './category.ts'
export { lint } from './lint/lint.ts'
