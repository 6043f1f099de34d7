import { connectSqlite } from '../sqlite-connection.ts'

// A program of its own: usage `node rewrite-file.ts FILE`. Writes the database anew, into its log.
const connection = connectSqlite(process.argv[2] ?? '', { readOnly: false, busyTimeout: 5_000 })
// A temporary file would leave on the disk what must be erased.
connection.exec('PRAGMA temp_store = MEMORY')
connection.exec('VACUUM')
connection.close()
