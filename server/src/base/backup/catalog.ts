// What PostgreSQL's catalogue says of schema public: its tables, columns, sequences, triggers, foreign keys and the rest.
import type { Client } from 'pg'

/** Leaves out objects that belong to an extension. */
const notOfAnExtension = (catalog: string, oid: string) =>
  `not exists (select from pg_depend d where d.classid = '${catalog}'::regclass and d.objid = ${oid} and d.deptype = 'e')`

interface Table {
  name: string
  /** Generated columns are made again by the table itself. */
  columns: string[]
  unlogged: boolean
}

/** A partitioned table counts once, as itself. */
export async function readTables(client: Client): Promise<Table[]> {
  const { rows } = await client.query<Table>(`
    select c.relname as name, c.relpersistence = 'u' as unlogged,
      (select coalesce(array_agg(a.attname::text order by a.attnum), '{}') from pg_attribute a
        where a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped and a.attgenerated = '') as columns
    from pg_class c
    where c.relnamespace = 'public'::regnamespace and c.relkind in ('r', 'p') and not c.relispartition
      and ${notOfAnExtension('pg_class', 'c.oid')}
    order by c.relname`)
  return rows
}

export async function readSequenceNames(client: Client): Promise<string[]> {
  const { rows } = await client.query<{ name: string }>(`
    select c.relname as name from pg_class c
    where c.relnamespace = 'public'::regnamespace and c.relkind = 'S' and ${notOfAnExtension('pg_class', 'c.oid')}
    order by c.relname`)
  return rows.map(({ name }) => name)
}

/** Statements that undo, and statements that redo, something on the tables of schema public. */
interface Toggle {
  off: string
  on: string
}

export async function readForeignKeys(client: Client): Promise<Toggle[]> {
  const { rows } = await client.query<Toggle>(`
    select format('alter table %s drop constraint %I', conrelid::regclass, conname) as off,
      format('alter table %s add constraint %I %s', conrelid::regclass, conname, pg_get_constraintdef(oid)) as "on"
    from pg_constraint
    where contype = 'f' and conparentid = 0 and connamespace = 'public'::regnamespace
    order by conrelid::regclass::text, conname`)
  return rows
}

/** Only those of tables that fire in an ordinary session; the triggers of constraints are PostgreSQL's own. */
export async function readTriggers(client: Client): Promise<Toggle[]> {
  const { rows } = await client.query<Toggle>(`
    select format('alter table %s disable trigger %I', t.tgrelid::regclass, t.tgname) as off,
      format('alter table %s enable trigger %I', t.tgrelid::regclass, t.tgname) as "on"
    from pg_trigger t join pg_class c on c.oid = t.tgrelid
    where c.relnamespace = 'public'::regnamespace and c.relkind in ('r', 'p') and not t.tgisinternal and t.tgparentid = 0 and t.tgenabled = 'O'
    order by c.relname, t.tgname`)
  return rows
}

/** Drops everything in schema public; the schema itself stays, with its owner, its grants and what extensions put there. */
export async function dropAll(client: Client): Promise<void> {
  const { rows } = await client.query<{ statement: string }>(`
    select format('drop %s if exists %s cascade', kind, name) as statement from (
      select 1 as turn, case relkind when 'v' then 'view' when 'm' then 'materialized view' when 'S' then 'sequence'
          when 'f' then 'foreign table' else 'table' end as kind, c.oid::regclass::text as name
      from pg_class c
      where relnamespace = 'public'::regnamespace and relkind in ('r', 'p', 'v', 'm', 'S', 'f') and not relispartition
        and ${notOfAnExtension('pg_class', 'c.oid')}
        -- a sequence of an identity column goes with its table, and not without it
        and (relkind <> 'S' or not exists (
          select from pg_depend d where d.classid = 'pg_class'::regclass and d.objid = c.oid and d.deptype = 'i'))
      union all
      select 2, 'routine', p.oid::regprocedure::text from pg_proc p
      where pronamespace = 'public'::regnamespace and ${notOfAnExtension('pg_proc', 'p.oid')}
      union all
      select 3, case typtype when 'd' then 'domain' else 'type' end, t.oid::regtype::text from pg_type t
      where typnamespace = 'public'::regnamespace
        and (typtype in ('e', 'd', 'r') or exists (select from pg_class c where c.oid = t.typrelid and c.relkind = 'c'))
        and ${notOfAnExtension('pg_type', 't.oid')}
    ) as objects order by turn, kind, name`)
  for (const { statement } of rows) await client.query(statement)
}
