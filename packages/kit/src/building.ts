export { type Built, build, MAX_SIZE } from './build/build.ts'
export { loadIntegration } from './build/load-integration.ts'
export { CATEGORIES } from './category.ts'
export { lint } from './lint/lint.ts'
