import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { temporaryFolder } from '../testing/test-agent.ts'
import { enrollmentRefusal } from './first-enrollment.ts'

const ended = (code: number | undefined) => ({ exitCode: async () => code })
const refused = 'https://muster.example.com refused the enrollment (401): Invalid enrollment key.'

test('says why the service was refused, from its log', async () => {
  await using folder = await temporaryFolder()
  const lines = ['10:00:00  starts', `10:00:01  error: ${refused}`, '10:00:01  error: watchdog: stops', '']
  await writeFile(join(folder.path, 'service.log'), lines.join('\n'))
  expect(await enrollmentRefusal(ended(3), folder.path)).toBe(refused)
})

test('says that the agent could not enroll when there is no log', async () => {
  await using folder = await temporaryFolder()
  expect(await enrollmentRefusal(ended(3), folder.path)).toMatch(/^the agent could not enroll/)
})

test('takes a service that enrolls, or that still tries, for installed', async () => {
  await using folder = await temporaryFolder()
  expect(await enrollmentRefusal(ended(undefined), folder.path, 400)).toBeUndefined()
  const enrollment = {
    server: 'https://muster.example.com',
    deviceId: '00000000-0000-4000-8000-000000000001',
    ingestUrl: 'wss://muster.example.com',
    certificate: 'certificate',
  }
  await writeFile(join(folder.path, 'enrolment.json'), JSON.stringify(enrollment))
  expect(await enrollmentRefusal(ended(3), folder.path)).toBeUndefined()
})
