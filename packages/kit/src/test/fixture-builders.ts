export { defineFixtures, notApplicable } from './fixtures.ts'
export { reply } from './reply.ts'
