import { deadStream } from '@muster/backplane/keys.ts'
import { connectRedis } from '@muster/backplane/redis.ts'
import pg from 'pg'
import { afterAll, expect, test } from 'vitest'
import { stage, visitorAs } from './visitor.ts'

const { acme, admin, stores } = stage
const redis = connectRedis(stores.redis, 'console-test')
const database = new pg.Pool({ connectionString: stores.system, max: 1 })
afterAll(async () => {
  redis.disconnect()
  await database.end()
})

test('a job that was given up is looked into and tried again', async () => {
  await database.query(`INSERT INTO pgboss.job (name, state, output, retry_limit, completed_on)
    VALUES ('metric-retention', 'failed', '{"message": "the disk is full"}', 0, now())`)
  const { page, complaints } = await visitorAs(admin, '/queues')
  const kind = page.getByRole('row').filter({ hasText: 'metric-retention' })
  await kind.getByText('the disk is full').waitFor()
  await kind.getByRole('link', { name: '1' }).click()
  const job = page.getByRole('row').filter({ hasText: 'the disk is full' })
  await job.getByRole('button', { name: 'metric-retention' }).click()
  await page.getByRole('dialog').getByText('the disk is full').waitFor()
  await page.getByRole('dialog').getByRole('button', { name: 'Close' }).click()
  await job.getByRole('button', { name: 'Try again' }).click()
  await page.getByText('A worker tries it again').waitFor()
  await page.getByRole('heading', { name: 'None is like that' }).waitFor()
  expect(complaints).toEqual([])
})

test('a dead letter is shown and given back; what is still wrong comes back', async () => {
  await redis.xadd(deadStream(0), '*', 'b', 'no batch', 'error', 'the batch is broken', 'from', '1-1', 'tries', '5')
  const { page, complaints } = await visitorAs(admin, '/dead-letters')
  const row = page.getByRole('row').filter({ hasText: 'the batch is broken' })
  await row.getByText('unreadable').waitFor()
  await row.getByRole('button', { name: /^0\./ }).click()
  const letter = page.getByRole('dialog', { name: /^Dead letter/ })
  await letter.getByText('Cannot be read').waitFor()
  await letter.getByRole('button', { name: 'Give back' }).click()
  await page
    .getByRole('dialog', { name: 'Give this dead letter back?' })
    .getByRole('button', { name: 'Give back' })
    .click()
  await row.waitFor({ state: 'detached' })
  await expect.poll(() => redis.xlen(deadStream(0)), { timeout: 30_000 }).toBe(1)
  await redis.del(deadStream(0))
  expect(complaints).toEqual([])
})

test('nobody of a partner sees that there is such a thing', async () => {
  const { page } = await visitorAs(acme, '/queues')
  await page.getByRole('heading', { name: 'You don’t have access' }).waitFor()
  expect(await page.getByRole('link', { name: 'Dead letters' }).count()).toBe(0)
})
