/**
 * `npm run generate`: writes every file that is generated and checked in, then the declarations of the libraries, which are
 * compiled from some of them.
 */
import { writeFileSync } from 'node:fs'
import path from 'node:path'
import { LIBRARIES, writeDeclarations } from '../pack/library.ts'
import { renderFiles } from './generated-files.ts'

for (const [file, content] of Object.entries(await renderFiles()))
  writeFileSync(path.join(import.meta.dirname, '../..', file), content)
for (const library of Object.values(LIBRARIES)) writeDeclarations(library)
process.exit()
