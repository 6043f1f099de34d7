/**
 * Writes the types of the SDK, `packages/sdk/src/api-types.ts`, from the OpenAPI document that the service serves.
 *
 * Usage: node scripts/sdk-types/main.ts
 */
import { writeFileSync } from 'node:fs'
import path from 'node:path'
import { testApp } from '../../packages/server/test/test-app.ts'
import { createTypes } from './create-types.ts'

const t = await testApp()
const types = createTypes(t.app.swagger())
await t.close()
writeFileSync(path.resolve(import.meta.dirname, '../../packages/sdk/src/api-types.ts'), types)
process.exit()
