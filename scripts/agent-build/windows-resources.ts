// What Windows shows of an executable: its version, its name and its icon.
import { readFile } from 'node:fs/promises'
import { Data, NtExecutable, NtExecutableResource, Resource } from 'resedit'

const language = { lang: 1033, codepage: 1200 }
const versionType = 16
const partMax = 65_535
const iconFile = new URL('./muster.ico', import.meta.url)

/** `1.2.3-rc.4` as the four numbers of a Windows version. The installer does not replace a higher one with a lower one. */
export function windowsVersion(version: string): [number, number, number, number] {
  const [numbers = '', candidate] = version.split('-')
  const [major = 0, minor = 0, patch = 0] = numbers.split('.').map((part) => Math.min(Number(part), partMax))
  // A version itself is higher than all its candidates.
  const last = candidate === undefined ? partMax : Math.min(Number(candidate.split('.')[1] ?? 0), partMax - 1)
  return [major, minor, patch, last]
}

/** The executable with resources of this version. A signature that it had is removed. */
export async function withResources(content: Buffer, version: string): Promise<Buffer> {
  const executable = NtExecutable.from(content, { ignoreCert: true })
  const resources = NtExecutableResource.from(executable)
  const numbers = windowsVersion(version)
  const [info] = Resource.VersionInfo.fromEntries(resources.entries)
  if (info === undefined) throw new Error('the runtime has no version resource')
  for (const each of info.getAllLanguagesForStringValues()) info.removeAllStringValues(each)
  info.lang = language.lang
  info.setFileVersion(...numbers, language.lang)
  info.setProductVersion(...numbers, language.lang)
  info.setStringValues(language, {
    CompanyName: 'Muster',
    FileDescription: 'Muster Agent',
    FileVersion: version,
    InternalName: 'muster-agent',
    OriginalFilename: 'muster-agent.exe',
    ProductName: 'Muster Agent',
    ProductVersion: version,
  })
  // The numbers of the runtime must not stay under another language.
  const isVersion = ({ type }: { type: string | number }) => type === versionType
  resources.entries = resources.entries.filter((entry) => !isVersion(entry))
  info.outputToResourceEntries(resources.entries)
  const { icons } = Data.IconFile.from(await readFile(iconFile))
  const [group] = Resource.IconGroupEntry.fromEntries(resources.entries)
  const images = icons.map(({ data }) => data)
  Resource.IconGroupEntry.replaceIconsForResource(
    resources.entries,
    group?.id ?? 1,
    group?.lang ?? language.lang,
    images,
  )
  resources.outputResource(executable)
  return Buffer.from(executable.generate())
}
