import type { Page } from 'playwright-core'
import { expect, test } from 'vitest'
import { clientOf, signIn } from './client.ts'
import { expectAccessible, stage, visitorAs } from './visitor.ts'

const { acme } = stage
/** Replaces the text of the editor that has the focus. */
async function replaceAll(page: Page, text: string): Promise<void> {
  await page.keyboard.press('Control+A')
  // Otherwise the browser keeps the style of the old text, which the content security policy forbids.
  await page.keyboard.press('Delete')
  await page.keyboard.insertText(text)
}

const client = () => signIn(stage.url, acme).then(({ accessToken }) => clientOf(stage.url, accessToken))

test('a system script is imported and run on a device, and its output is shown', async () => {
  const { page, complaints } = await visitorAs(acme, '/scripts/library?q=Disk usage&os=linux')
  await page.getByRole('button', { name: 'Import Disk usage' }).click()
  const form = page.getByRole('dialog', { name: 'Import Disk usage' })
  await form.getByLabel('Organization', { exact: true }).selectOption(acme.orgName)
  await form.getByRole('button', { name: 'Import script' }).click()
  await page.getByRole('heading', { level: 1, name: 'Disk usage' }).waitFor()
  await page.getByRole('button', { name: 'Run script' }).click()
  const run = page.getByRole('dialog', { name: 'Run Disk usage' })
  await run.getByRole('textbox', { name: /^Warn from this/ }).fill('100')
  await run.getByRole('searchbox', { name: 'Search for devices' }).fill(acme.hostname)
  const matches = run.getByRole('list', { name: 'Matches' })
  await matches.getByRole('button').filter({ hasText: 'Device' }).click()
  await run.getByText('1 device in 1 organization.').waitFor()
  await expectAccessible(page)
  await run.getByRole('button', { name: 'Run on 1 device' }).click()
  const row = page.getByRole('row').filter({ hasText: acme.hostname })
  await row.getByText('Success', { exact: true }).waitFor()
  await row.getByRole('button', { name: acme.hostname }).click()
  const shown = page.getByRole('dialog', { name: `Disk usage on ${acme.hostname}` })
  await shown.getByText('exit code 0').waitFor()
  await shown.getByText(/ok: /).first().waitFor()
  expect(complaints).toEqual([])
})

test('a script is written with a parameter, and its versions show what changed', async () => {
  const { page, complaints } = await visitorAs(acme, '/scripts')
  await page.getByRole('button', { name: 'New script' }).first().click()
  const form = page.getByRole('dialog', { name: 'New script' })
  await form.getByLabel('Name', { exact: true }).first().fill('Who is here')
  await form.getByRole('textbox', { name: 'Content' }).click()
  await replaceAll(page, 'if true; then who')
  await form.getByRole('button', { name: 'Add parameter' }).click()
  await form.getByRole('group', { name: 'Parameter 1' }).getByLabel('Name').fill('limit')
  await form.getByRole('button', { name: 'Create script' }).click()
  await page.getByRole('heading', { level: 1, name: 'Who is here' }).waitFor()
  await page
    .getByRole('region', { name: 'Warnings' })
    .getByText(/^Line 1: /)
    .waitFor()
  await page.getByRole('button', { name: 'Edit script' }).click()
  const edit = page.getByRole('dialog', { name: 'Edit Who is here' })
  await edit.getByRole('textbox', { name: 'Content' }).click()
  await replaceAll(page, 'who')
  await edit.getByLabel('What changed').fill('Shorter')
  await edit.getByRole('button', { name: 'Save script' }).click()
  await edit.waitFor({ state: 'detached' })
  await page.getByRole('link', { name: 'Versions' }).click()
  await page.getByRole('button', { name: 'Version 2' }).click()
  const version = page.getByRole('dialog', { name: 'Version 2' })
  await version.getByRole('heading', { name: 'Changes since version 1' }).waitFor()
  await version.locator('.cm-deletedChunk').first().waitFor()
  await expectAccessible(page)
  expect(complaints).toEqual([])
})

test('a template becomes a script', async () => {
  const { page, complaints } = await visitorAs(acme, '/scripts/library?tab=templates&q=mount')
  await page.getByRole('button', { name: 'Fill in' }).first().click()
  const form = page.getByRole('dialog')
  await form.getByLabel('Name', { exact: true }).fill('Data is mounted')
  await form.getByLabel('Mount point').fill('/data')
  await form.getByRole('button', { name: 'Create script' }).click()
  await page.getByRole('heading', { level: 1, name: 'Data is mounted' }).waitFor()
  await page.getByText(`mount_point='/data'`).waitFor()
  const { data } = await (await client()).scripts.scripts.list.query({ search: 'Data is mounted' })
  expect(data).toMatchObject([{ orgId: null, language: 'bash', version: 1 }])
  await page.goto('/scripts')
  await page.getByRole('link', { name: 'Data is mounted' }).waitFor()
  await expectAccessible(page)
  expect(complaints).toEqual([])
})
