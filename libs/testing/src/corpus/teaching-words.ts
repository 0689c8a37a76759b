/** Words from which the long documents are told; none is a measure that a question asks for. */
export const STEMS =
  'Amber Basalt Cobalt Dorne Ember Fenwick Garnet Halden Ivory Jasper Kelm Linden Morrow Nordal Opaline Pewter Quarry Ridge Sable Thorne Ulmen Verdan Wexley Xanth Yelland Zircon'.split(
    ' ',
  );
export const TRADES =
  'Logistics Textiles Foods Robotics Shipping Dairy Printing Timber Optics Ceramics Railways Media Insurance Chemicals Software Brewing Mining Glass Tools Harbours'.split(
    ' ',
  );
export const TRADES_ZH =
  '物流 纺织 食品 机器人 航运 乳业 印刷 木业 光学 陶瓷 铁路 传媒 保险 化工 软件 酿造 矿业 玻璃 工具 港口'.split(' ');
export const COUNTRIES =
  'Austria Belgium Chile Denmark Estonia Finland Greece Hungary Iceland Japan Kenya Latvia Mexico Norway Portugal'.split(
    ' ',
  );
export const COUNTRIES_ZH =
  '奥地利 比利时 智利 丹麦 爱沙尼亚 芬兰 希腊 匈牙利 冰岛 日本 肯尼亚 拉脱维亚 墨西哥 挪威 葡萄牙'.split(' ');
export const MONTHS = 'January February March April May June July August September October November December'.split(
  ' ',
);
export const CITIES = 'Bergen Cork Graz Haarlem Lille Porto Riga Tampere Trieste Zwolle'.split(' ');
export const VENUES = 'Exchange A,Exchange B,Auction,Dealer,Crossing'.split(',');
export const PROPOSALS = [
  'Election of a director',
  'Approval of the accounts',
  'Appointment of the auditor',
  'Remuneration of the board',
  'Issue of new shares',
  'Change of the articles',
  'Report on water use',
  'Report on lobbying',
  'Discharge of the board',
  'Buy-back of shares',
];
export const REASONS = [
  'in line with the guidelines',
  'the term is too long',
  'the material came late',
  'the board gave a sound answer',
  'the proposal is too wide',
  'independence is not shown',
  'shareholders are treated alike',
  'the plan lacks a target',
];
export const FILED = [
  'its prospectus',
  'its key information document',
  'a notice to holders',
  'the list of its agents',
  'a change of its depositary contract',
  'a new share class for institutions',
  'its half-yearly accounts',
  'a notice on the dealing calendar',
];
export const CHANGED = [
  'the section on securities lending was shortened',
  'the address of the paying agent is new',
  'a sentence on cut-off times was added',
  'the wording on swing pricing follows the new model text',
  'the description of the index provider is fuller than before',
  'the list of dealing days now names local holidays',
  'a reference to a repealed directive was taken out',
  'the risk section names settlement risk first',
];
export const DONE = [
  'replaced two positions in the middle of the portfolio',
  'used the quiet weeks to trim what had run ahead',
  'added to names that had fallen without a reason of their own',
  'left the portfolio as it was',
  'exchanged one listing of a company for another',
  'met the managements of several companies in person',
  'voted at the meetings of the season',
  'lent out fewer securities than in the month before',
];
export const SEEN = [
  'Freight became dearer and orders for the spring were placed late.',
  'Harvests were good in the south and poor in the north.',
  'Two mergers that had long been talked about were called off.',
  'Trading was thin, and the larger orders were worked over several days.',
  'A new rule on disclosures was put out for consultation.',
  'Export business picked up after a slow start.',
  'Several companies moved their reporting dates.',
  'Energy was cheap and storage nearly full.',
];
export const DONE_ZH = [
  '更换了组合中部的两只证券',
  '减持了涨幅较大的部分证券',
  '增持了无故下跌的若干公司',
  '维持组合不变',
  '与多家公司管理层进行了当面交流',
  '参加了本季的股东大会',
  '减少了证券出借',
  '把一家公司的一种上市证券换成了另一种',
];
export const SEEN_ZH = [
  '运费上升，春季订单下达较晚。',
  '南方收成较好，北方欠佳。',
  '两起传闻已久的并购宣告取消。',
  '市场交投清淡，大额订单分数日完成。',
  '监管部门就披露新规征求意见。',
  '出口业务在缓慢开局后回升。',
  '多家公司调整了财报日期。',
  '能源价格低廉，库存接近满仓。',
];
