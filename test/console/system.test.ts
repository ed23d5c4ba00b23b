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

test('a failed job shows its error and is retried', async () => {
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
  await job.getByRole('button', { name: 'Retry' }).click()
  await page.getByText('Job queued').waitFor()
  await page.getByRole('heading', { name: 'No matches' }).waitFor()
  expect(complaints).toEqual([])
})

test('a dead letter is retried, and returns if it fails again', async () => {
  await redis.xadd(deadStream(0), '*', 'b', 'no batch', 'error', 'the batch is broken', 'from', '1-1', 'tries', '5')
  const { page, complaints } = await visitorAs(admin, '/dead-letters')
  const row = page.getByRole('row').filter({ hasText: 'the batch is broken' })
  await row.getByText('unreadable').waitFor()
  await row.getByRole('button', { name: /^0\./ }).click()
  const letter = page.getByRole('dialog', { name: /^Dead letter/ })
  await letter.getByText('Unreadable').waitFor()
  await letter.getByRole('button', { name: 'Retry dead letter' }).click()
  await page
    .getByRole('dialog', { name: 'Retry this dead letter?' })
    .getByRole('button', { name: 'Retry dead letter' })
    .click()
  await row.waitFor({ state: 'detached' })
  await expect.poll(() => redis.xlen(deadStream(0)), { timeout: 30_000 }).toBe(1)
  await redis.del(deadStream(0))
  expect(complaints).toEqual([])
})

test('an email that failed is listed with its error and retried', async () => {
  const to = `lost-${Date.now()}@example.test`
  const template = 'notice'
  await database.query(
    `INSERT INTO mail_outbox (to_address, template, data, attempts, last_error, failed_at)
      VALUES ($1, $2, '{}', 5, 'mailbox unavailable', now())`,
    [to, template],
  )
  const { page, complaints } = await visitorAs(admin, '/mail?status=failed')
  const row = page.getByRole('row').filter({ hasText: to })
  await row.getByText('mailbox unavailable').waitFor()
  await row.getByRole('button', { name: `Retry email to ${to}` }).click()
  await page.getByText('Email queued').waitFor()
  await row.waitFor({ state: 'detached' })
  expect(complaints).toEqual([])
})

test('users of a partner cannot see jobs and dead letters', async () => {
  const { page } = await visitorAs(acme, '/queues')
  await page.getByRole('heading', { name: 'You don’t have access' }).waitFor()
  expect(await page.getByRole('link', { name: 'Dead letters' }).count()).toBe(0)
})
