import { openDatabase } from '../../src/platform/storage/open-database.ts'

// A process that migrates the database at its argument, a URL or a file; tests kill it.
const [location = ''] = process.argv.slice(2)
const isUrl = location.startsWith('postgres:')
const database = await openDatabase(isUrl ? { url: location } : { file: location })
process.stdout.write('opened\n')
await database.migrate()
await database.close()
