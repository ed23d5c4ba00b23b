import { defineConfig } from 'vitest/config'

/** Runs that take minutes to an hour, one at a time, when somebody asks for them: npm run test:long -- <ID>. */
export default defineConfig({
  test: {
    include: ['test/long/**/*.test.ts'],
    globalSetup: ['packages/testkit/src/global-setup.ts'],
    pool: 'forks',
    fileParallelism: false,
    retry: 0,
    testTimeout: 90 * 60_000,
    hookTimeout: 5 * 60_000,
    teardownTimeout: 60_000,
  },
})
