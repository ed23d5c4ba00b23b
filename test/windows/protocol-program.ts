// The agent with its own protocol tests inside: with a file to write to it runs them, and otherwise it is the agent, whose tests
// start it for parts of their work.
import { writeFileSync } from 'node:fs'
import '../../apps/agent/src/agent.test.ts'
import { testPlatform } from '../../apps/agent/src/testing/test-agent.ts'
import { runTests } from './vitest-stand-in.ts'

const [, , part, report] = process.argv
if (part === 'run-tests' && report !== undefined) {
  testPlatform.language = 'cmd'
  void runTests().then((ended) => {
    writeFileSync(report, JSON.stringify(ended))
    process.exit(0)
  })
} else void import('../../apps/agent/src/main.ts')
