import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, onTestFinished, test } from 'vitest'
import { stage, visitorAs } from './visitor.ts'

const { acme } = stage
const tab = (name: string, more = '') => `/devices/${acme.deviceId}?tab=${name}${more}`
// The agent of the tests runs on this machine, so its files and processes are ours.
const folder = await mkdtemp(join(tmpdir(), 'muster-console-files-'))
afterAll(() => rm(folder, { recursive: true, force: true }))

test('a process is found and ended after a question, and the list says so', async () => {
  const length = `98765.${process.pid}`
  const sleeper = spawn('sleep', [length])
  onTestFinished(() => void sleeper.kill())
  const ended = once(sleeper, 'exit')
  const { page, complaints } = await visitorAs(acme, tab('processes'))
  await page.getByRole('searchbox', { name: 'Search processes' }).fill(length)
  const row = page.getByRole('row').filter({ hasText: length })
  await row.getByRole('button', { name: 'End process sleep' }).click()
  const dialog = page.getByRole('dialog', { name: 'End sleep?' })
  await dialog.getByText(`Process ${sleeper.pid} of`).waitFor()
  await dialog.getByRole('button', { name: 'Send signal' }).click()
  await ended
  await page.getByRole('heading', { name: 'No matches' }).waitFor()
  expect(complaints).toEqual([])
})

test('folders are gone through, a file comes down, and another goes up that replaces only after a question', async () => {
  await writeFile(join(folder, 'notes.txt'), 'first words')
  const { page, complaints } = await visitorAs(acme, tab('files', `&path=${encodeURIComponent(folder)}`))
  const [file] = await Promise.all([
    page.waitForEvent('download'),
    page.getByRole('button', { name: 'Download notes.txt' }).click(),
  ])
  expect(await readFile(await file.path(), 'utf8')).toBe('first words')
  const upload = async () => {
    const [chooser] = await Promise.all([
      page.waitForEvent('filechooser'),
      page.getByRole('button', { name: 'Upload' }).click(),
    ])
    await chooser.setFiles({ name: 'sent.bin', mimeType: 'application/octet-stream', buffer: Buffer.from('as sent') })
  }
  await upload()
  await page.getByRole('row').filter({ hasText: 'sent.bin' }).waitFor()
  expect(await readFile(join(folder, 'sent.bin'), 'utf8')).toBe('as sent')
  await writeFile(join(folder, 'sent.bin'), 'meanwhile another')
  await upload()
  const dialog = page.getByRole('dialog', { name: 'Replace sent.bin?' })
  await dialog.getByRole('button', { name: 'Replace' }).click()
  await dialog.waitFor({ state: 'hidden' })
  expect(await readFile(join(folder, 'sent.bin'), 'utf8')).toBe('as sent')
  await page.getByRole('button', { name: 'One folder up' }).click()
  await page.waitForURL(({ searchParams }) => searchParams.get('path') === tmpdir())
  // The browser itself notes the refusal of the file that was there already.
  expect(complaints.filter((each) => !each.includes('409'))).toEqual([])
})

test('what a machine does not have is explained, with what can be done', async () => {
  const { page } = await visitorAs(acme, tab('services'))
  const tabs = page.getByRole('navigation', { name: 'Parts of the device' })
  const table = page.getByRole('table', { name: 'Services' })
  await table.or(page.getByText('A program that this needs is not installed on the device')).first().waitFor()
  await tabs.getByRole('link', { name: 'Tasks' }).click()
  const tasks = page.getByRole('table', { name: 'Tasks' })
  await tasks
    .or(page.getByRole('heading', { name: 'No scheduled tasks' }))
    .first()
    .waitFor()
  await tabs.getByRole('link', { name: 'Logs' }).click()
  await page
    .getByRole('combobox', { name: 'Log' })
    .or(page.getByRole('heading', { name: 'No logs' }))
    .first()
    .waitFor()
  await tabs.getByRole('link', { name: 'Overview' }).click()
  await page.getByText('No rollout is active').waitFor()
})

test('a script that runs while the network is cut and restored shows all of its output once', async () => {
  const flag = join(folder, 'go-on')
  const { page, context } = await visitorAs(acme, tab('run'))
  await page.getByRole('textbox', { name: 'Script' }).click()
  await page.keyboard.press('Control+A')
  await page.keyboard.insertText(
    `echo "before $((1 + 1))"; while [ ! -e ${flag} ]; do sleep 0.1; done; echo "after $((2 + 2))"`,
  )
  await page.getByRole('button', { name: /^Run on/ }).click()
  const output = page.getByRole('region', { name: 'Output' })
  await output.getByText('before 2').first().waitFor({ timeout: 60_000 })
  await context.setOffline(true)
  await writeFile(flag, '')
  await context.setOffline(false)
  await output.getByText('after 4').first().waitFor({ timeout: 60_000 })
  await output.getByText('Succeeded').waitFor()
  await page.getByRole('link', { name: 'Commands', exact: true }).click()
  await page.getByRole('combobox', { name: 'Command type' }).selectOption('Run script')
  await page.getByRole('combobox', { name: 'Status' }).selectOption('Succeeded')
  await page.getByRole('button', { name: 'Run script' }).first().click()
  const shown = await page.getByRole('dialog').getByRole('region', { name: 'Output' }).textContent()
  expect(shown?.trim().split('\n')).toEqual(['before 2', 'after 4'])
})
