/**
 * Writes what is generated from the OpenAPI document that the service serves: the types of the SDK,
 * `packages/sdk/src/api-types.ts`, and the operations of the command line, `packages/cli/src/api/operation-table.ts`;
 * and what is generated from the languages of the connect page. Then writes the declarations of the SDK and of the client, the
 * folders `published`.
 *
 * Usage: node scripts/sdk-types/main.ts
 */
import { writeFileSync } from 'node:fs'
import path from 'node:path'
import { testApp } from '../../packages/server/test/test-app.ts'
import { LIBRARIES, writeDeclarations } from '../pack/library.ts'
import { createGroups } from './create-groups.ts'
import { createOperationTable } from './create-operation-table.ts'
import { createTypes } from './create-types.ts'
import { renderLanguages } from './render-languages.ts'

const packages = path.resolve(import.meta.dirname, '../../packages')
const t = await testApp()
const document = t.app.swagger()
await t.close()
writeFileSync(path.join(packages, 'sdk/src/api-types.ts'), createTypes(document))
writeFileSync(path.join(packages, 'sdk/src/api-groups.ts'), createGroups(document))
writeFileSync(path.join(packages, 'cli/src/api/operation-table.ts'), createOperationTable(document))
for (const [file, content] of Object.entries(renderLanguages()))
  writeFileSync(path.join(packages, '..', file), content)
for (const library of Object.values(LIBRARIES)) writeDeclarations(library)
process.exit()
