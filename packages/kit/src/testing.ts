export {
  defineFixtures,
  type EndpointFixture,
  type Fixtures,
  notApplicable,
} from './test/fixtures.ts'
export { fixturesPath, loadFixtures } from './test/load-fixtures.ts'
export { reply } from './test/reply.ts'
export { runIntegrationTest, type TestResult } from './test/run-integration-test.ts'
export { sampleConfig } from './test/sample-config.ts'
export { testIntegration, testIntegrations } from './test/test-integration.ts'
export { startTestSandbox, type TestSandbox } from './test/test-sandbox.ts'
