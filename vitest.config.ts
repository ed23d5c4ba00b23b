import { defineConfig } from 'vitest/config'

const stores = ['packages/testkit/src/global-setup.ts']
const areas = 'packages/areas/**/*.test.ts'
/** Their tests leave nothing behind in the process, so the files of a worker share it and load every module once. */
const shared = ['kit', 'wire', 'db']
  .map((name) => `packages/${name}/**/*.test.ts`)
  .concat(['admin', 'ingest', 'worker'].map((name) => `apps/${name}/**/*.test.ts`))
const installs = ['install-and-update', 'launcher', 'update'].map((name) => `test/system/${name}.test.ts`)
const seeds = ['test/property-seed.ts']

export default defineConfig({
  test: {
    pool: 'forks',
    maxWorkers: 2,
    retry: 0,
    testTimeout: 30_000,
    hookTimeout: 60_000,
    teardownTimeout: 30_000,
    setupFiles: seeds,
    projects: [
      {
        extends: true,
        test: {
          name: 'unit',
          include: ['packages/**/*.test.ts', 'apps/**/*.test.ts', 'bench/src/**/*.test.ts'],
          exclude: ['**/node_modules/**', areas, ...shared],
          globalSetup: stores,
        },
      },
      { extends: true, test: { name: 'shared', include: shared, isolate: false, globalSetup: stores } },
      // These and the gates need the whole of `areas`: loading it for each file anew would take most of the time.
      { extends: true, test: { name: 'areas', include: [areas], isolate: false, globalSetup: stores } },
      {
        extends: true,
        test: { name: 'gates', include: ['test/gates/**/*.test.ts'], isolate: false, globalSetup: stores },
      },
      { extends: true, test: { name: 'shape', include: ['test/shape/**/*.test.ts'] } },
      {
        extends: true,
        // Whole systems of real processes: one at a time, after everything else.
        test: {
          name: 'system',
          include: ['test/system/**/*.test.ts'],
          exclude: installs,
          fileParallelism: false,
          sequence: { groupOrder: 1 },
          testTimeout: 120_000,
          hookTimeout: 120_000,
        },
      },
      {
        extends: true,
        // Installations, updates and starts of everything: they take minutes, most of them spent waiting.
        test: {
          name: 'install',
          include: installs,
          fileParallelism: false,
          sequence: { groupOrder: 4 },
          testTimeout: 120_000,
          hookTimeout: 120_000,
        },
      },
      {
        extends: true,
        // The executable for Windows under wine, against one whole system, which is started when these tests begin; a file that
        // waits leaves the processor to another one.
        test: {
          name: 'windows',
          include: ['test/windows/**/*.test.ts'],
          globalSetup: ['test/windows/global-setup.ts'],
          sequence: { groupOrder: 5 },
          testTimeout: 180_000,
          hookTimeout: 300_000,
        },
      },
      {
        extends: true,
        // A browser against one whole system, which all files share: one at a time, at the end.
        test: {
          name: 'console',
          include: ['test/console/**/*.test.ts'],
          globalSetup: ['test/console/global-setup.ts'],
          fileParallelism: false,
          sequence: { groupOrder: 3 },
          testTimeout: 120_000,
          hookTimeout: 180_000,
        },
      },
    ],
  },
})
