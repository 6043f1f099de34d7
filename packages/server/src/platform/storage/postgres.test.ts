import { describePostgres, TEST_POSTGRES } from '../../../test/postgres.ts'
import { openDatabase } from './open-database.ts'
import { describeStorage } from './test/storage-contract.ts'

describePostgres('storage on PostgreSQL', (server) => {
  let count = 0
  describeStorage({
    createDatabaseOpener: async () => {
      count += 1
      const url = await server().createDatabase(`contract_${count}`)
      return () => openDatabase({ url, postgres: { ...TEST_POSTGRES, writeConnections: 5 } })
    },
  })
})
