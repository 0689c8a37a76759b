import { contextOf, extractFigures } from './extract-figures.js';

/** `entity | metric | period | value unit`, with `!` when it is a correction. */
function read(text: string, kind = 'md', title = ''): string[] {
  return extractFigures(text, 0, kind, contextOf(title, 'document.md', [])).figures.map(
    (f) => `${f.entity} | ${f.metric} | ${f.period} | ${f.value} ${f.unit}`.trimEnd() + (f.corrected ? ' !' : ''),
  );
}

describe('prose', () => {
  it('names, periods and values are joined as the sentence joins them', () => {
    expect(read('The ongoing charge of Alder Fund fell from 0.40 % in 2023 to 0.35 % in 2024.')).toEqual([
      'Alder Fund | ongoing charge | 2023 | 0.40 %',
      'Alder Fund | ongoing charge | 2024 | 0.35 %',
    ]);
    expect(read('In 2024 the expense ratio was 0.35% at Alder Fund and 38 bps at Birch Fund.')).toEqual([
      'Alder Fund | ongoing charge | 2024 | 0.35 %',
      'Birch Fund | ongoing charge | 2024 | 38 bp',
    ]);
    expect(read('Alder Fund and Birch Fund charged 0.35 % and 0.38 % respectively in 2024.')).toEqual([
      'Alder Fund | ongoing charge | 2024 | 0.35 %',
      'Birch Fund | ongoing charge | 2024 | 0.38 %',
    ]);
  });

  it('a sentence without a name goes on about the last one', () => {
    expect(read('Alder Fund is a small fund. Its tracking difference was −0.12 % in 2024.')).toEqual([
      'Alder Fund | tracking difference | 2024 | -0.12 %',
    ]);
  });

  it('what something cost says nothing of what the next sentence measures', () => {
    const text = 'The Heron service cost 610 EUR a month. Its availability was 99.95 % in 2025.';
    expect(read(text).filter((figure) => figure.includes('99.95'))).toEqual([]);
  });

  it('averages, targets, years and page numbers are nobody’s figures', () => {
    expect(read('Alder Fund is small. In 2024 the sector average ongoing charge was 0.60 %.')).toEqual([]);
    expect(read('In 2024 the sector average ongoing charge was 0.60 %. See page 12 of Alder Fund.')).toEqual([]);
    expect(read('Alder Fund expects an ongoing charge of 0.30 % in 2025.')).toEqual([]);
  });

  it('money and counts keep their unit', () => {
    expect(read('Alder Fund had assets under management of €1.2 billion and 312 holdings at the end of 2024.')).toEqual(
      ['Alder Fund | assets under management | 2024 | 1.2 EUR billion', 'Alder Fund | number of holdings | 2024 | 312'],
    );
  });

  it('Chinese sentences are read the same way', () => {
    expect(read('截至2024年末，青杉基金的综合费率为0.35%，资产规模为12.5亿元。白桦基金2023年的费率是0.4％。')).toEqual([
      '青杉基金 | ongoing charge | 2024 | 0.35 %',
      '青杉基金 | assets under management | 2024 | 12.5 亿元',
      '白桦基金 | ongoing charge | 2023 | 0.4 %',
    ]);
  });
});

describe('corrections', () => {
  it.each([
    'The ongoing charge of Alder Fund for 2024 was wrongly stated as 0.35 %; the correct figure is 0.38 %.',
    'Erratum: for 2024 the ongoing charge of Alder Fund should read 0.38 % instead of 0.35 %.',
    'The ongoing charge of Alder Fund for 2024 has been corrected from 0.35 % to 0.38 %.',
    '更正：Alder Fund 2024年的费率原为0.35%，应为0.38%。',
    'Alder Fund 2024年的费率由0.35%更正为0.38%。',
  ])('only the right value of "%s" is taken', (text) => {
    expect(read(text)).toEqual(['Alder Fund | ongoing charge | 2024 | 0.38 % !']);
  });
});

describe('tables', () => {
  it('names by periods, the measure from the heading', () => {
    const text =
      '## Ongoing charge (%)\n\n| Fund | 2023 | 2024 |\n|---|---|---|\n| Alder | 0.40 | **0.35** |\n| Average | 0.5 | 0.5 |\n';
    expect(read(text)).toEqual(['Alder | ongoing charge | 2023 | 0.40 %', 'Alder | ongoing charge | 2024 | 0.35 %']);
  });

  it('measures by names, the period from the caption', () => {
    const text =
      'Figures at 31 December 2024\n\nIndicator\tAlder Fund\tBirch Fund\nTER (%)\t0.35\t0.38\nNet assets (EUR m)\t120\tn/a\n';
    expect(read(text, 'html')).toEqual([
      'Alder Fund | ongoing charge | 2024 | 0.35 %',
      'Birch Fund | ongoing charge | 2024 | 0.38 %',
      'Alder Fund | assets under management | 2024 | 120 EUR million',
    ]);
  });

  it('one row a figure, and columns a measure with a year in its header', () => {
    expect(read('fund,metric,year,value,unit\nAlder,Yield,2024,"1,234.5",%\n', 'csv')).toEqual([
      'Alder | distribution yield | 2024 | 1234.5 %',
    ]);
    expect(read('Name;TER 2023 (%);TER 2024 (%)\nAlder;0,40;0,35\n', 'csv')).toEqual([
      'Alder | ongoing charge | 2023 | 0.40 %',
      'Alder | ongoing charge | 2024 | 0.35 %',
    ]);
  });

  it('a unit at the end of a header needs no brackets', () => {
    expect(
      read('firm,year,revenue GBP million,order book EUR m,gross margin percent\nMoor plc,2021,12.3,7,31\n', 'csv'),
    ).toEqual([
      'Moor plc | revenue | 2021 | 12.3 GBP million',
      'Moor plc | order book | 2021 | 7 EUR million',
      'Moor plc | gross margin | 2021 | 31 %',
    ]);
    expect(read('firm;revenue_gbp_million 2020;revenue 2021 GBP\nMoor plc;12,3;13\n', 'csv')).toEqual([
      'Moor plc | revenue | 2020 | 12.3 GBP million',
      'Moor plc | revenue | 2021 | 13 GBP',
    ]);
    expect(read('公司,年份,营业收入亿元\n远洋重工集团,2021,9.3\n', 'csv')).toEqual([
      '远洋重工集团 | revenue | 2021 | 9.3 亿元',
    ]);
  });

  it('the unit at the end of a heading is that of the table below it', () => {
    expect(read('## Revenue GBP million\n\n| Firm | 2020 |\n|---|---|\n| Moor plc | 12.3 |\n')).toEqual([
      'Moor plc | revenue | 2020 | 12.3 GBP million',
    ]);
  });

  it('a currency at the end of a name or of a count is no unit', () => {
    expect(read('| Fund | Year | Number of holdings EUR |\n|---|---|---|\n| Alder EUR | 2021 | 88 |\n')).toEqual([
      'Alder EUR | number of holdings | 2021 | 88',
    ]);
  });

  it('a measure that no list knows is named by its header', () => {
    expect(read('| Fund | Year | Voting rate (%) |\n|---|---|---|\n| Alder | 2024 | 88 |\n')).toEqual([
      'Alder | voting rate | 2024 | 88 %',
    ]);
  });

  it('rows whose cells are one blank apart, with nothing around them', () => {
    expect(
      read(
        'Comparison of funds\nAll of it is invented.\nYear 2024\nFund Ongoing charge (%) Yield (%)\nAlder Fund 0.35 1.2\nBirch Fund 0.38 1.4\n',
        'pdf',
      ),
    ).toEqual([
      'Alder Fund | ongoing charge | 2024 | 0.35 %',
      'Alder Fund | distribution yield | 2024 | 1.2 %',
      'Birch Fund | ongoing charge | 2024 | 0.38 %',
      'Birch Fund | distribution yield | 2024 | 1.4 %',
    ]);
  });

  it('columns that no word can be given to are left alone', () => {
    expect(read('Ongoing charge\n\nAlder Fund 0.35 0.40\nBirch Fund 0.38 0.41\n', 'pdf')).toEqual([]);
    expect(read('Year 2024\nFund Number of holdings Voting rate (%)\nAlder Fund 312 75.0\n', 'pdf')).toEqual([
      'Alder Fund | number of holdings | 2024 | 312',
      'Alder Fund | voting rate | 2024 | 75.0 %',
    ]);
  });

  it('labels that were wrapped in their column', () => {
    const text =
      'Indicators for 2020\n\nIndicator  Saltmarsh  Osprey Trust\nTrust\nAssets under 8922.1  1771.3\nmanagement\n(EUR million)\n';
    expect(read(text, 'pdf')).toEqual([
      'Saltmarsh | assets under management | 2020 | 8922.1 EUR million',
      'Osprey Trust | assets under management | 2020 | 1771.3 EUR million',
    ]);
  });
});

describe('labels and values', () => {
  it('a heading names what the lines below it are about', () => {
    expect(
      read(
        '# Alder Fund – key figures 2024\n\n- **Ongoing charge**: 0.35 %\n- Holdings ....... 312\n- Carbon intensity: 85.1 t\n',
      ),
    ).toEqual([
      'Alder Fund | ongoing charge | 2024 | 0.35 %',
      'Alder Fund | number of holdings | 2024 | 312',
      'Alder Fund | carbon intensity | 2024 | 85.1 t',
    ]);
  });

  it('sections follow each other without empty lines', () => {
    expect(
      read(
        'Fact sheets\nAll of it is invented.\nAlder Fund\nYield (2024): 1.2 %\nBirch Fund\nYield (2024): 1.4 %\n',
        'pdf',
      ),
    ).toEqual(['Alder Fund | distribution yield | 2024 | 1.2 %', 'Birch Fund | distribution yield | 2024 | 1.4 %']);
  });

  it('Chinese labels', () => {
    expect(read('基金名称：青杉基金\n报告期：2024年\n费率：0.35%\n持仓数量：312只\n', 'txt')).toEqual([
      '青杉基金 | ongoing charge | 2024 | 0.35 %',
      '青杉基金 | number of holdings | 2024 | 312 只',
    ]);
  });
});

describe('evidence', () => {
  it('F-R6: ranges are bytes of the document, whatever the characters', () => {
    const text = '前言。\n\n青杉基金2024年的费率为0.35%。\n';
    const [figure] = extractFigures(text, 1000, 'txt', contextOf('', 'a.txt', [])).figures;
    const bytes = Buffer.from(text).subarray(figure!.start - 1000, figure!.end - 1000);
    expect(bytes.toString('utf8')).toBe('青杉基金2024年的费率为0.35%。');
  });

  it('a table goes on in the next part under the header of the part before', () => {
    const first = extractFigures(
      '# Ongoing charge (%)\n\n| Fund | 2024 |\n|---|---|\n| Alder | 0.35 |\n',
      0,
      'md',
      contextOf('', 'a.md', []),
    );
    const second = extractFigures('| Birch | 0.38 |\n| Cedar | 0.41 |\n', 60, 'md', first.context);
    expect(second.figures.map((f) => [f.entity, f.metric, f.period, f.value])).toEqual([
      ['Birch', 'ongoing charge', '2024', '0.38'],
      ['Cedar', 'ongoing charge', '2024', '0.41'],
    ]);
  });
});
