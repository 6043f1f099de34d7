import { describePostgres } from '../../test/postgres.ts'
import { storageContract } from './contract.ts'
import { openDatabase } from './database.ts'

describePostgres('storage on PostgreSQL', (server) => {
  let count = 0
  storageContract({
    fresh: async () => {
      count += 1
      const url = await server().createDatabase(`contract_${count}`)
      return () => openDatabase({ url, poolSize: 5 })
    },
  })
})
