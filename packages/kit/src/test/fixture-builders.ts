export { defineFixtures, never } from './fixtures.ts'
export { reply } from './reply.ts'
